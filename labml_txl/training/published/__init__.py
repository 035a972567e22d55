"""Import weights of Transformer-XL that its authors published.

Hugging Face's library `transformers` distributed them until its version 5. No code in a
file is executed. The modules: `vocabulary`, `folder`, `names`, `load`.
"""
