"""What readers type into the search, each with the page that they look for.

They type words of the papers, names of the code and whole questions.
"""

INTRODUCTION = "papers/introduction/"
LAYER = "models/relative_attention/"
PAPER = "papers/transformer_xl/"
COMPRESSIVE = "papers/compressive_transformer/"
TRAINING = "notebooks/train_transformer_xl/"
ENGLISH = {
    # Words of the papers
    "memory": "models/memory/",
    "segment-level recurrence": INTRODUCTION,
    "recurrence": PAPER,
    "relative attention": LAYER,
    "relative positional encoding": INTRODUCTION,
    "context fragmentation": PAPER,
    "relative shift": "models/relative_shift/",
    "rel_shift": "models/relative_shift/",
    "compressed memory": "notebooks/train_compressive/",
    "compression functions": "models/compression/",
    "compression rate": COMPRESSIVE,
    "most used compression": "models/compression/",
    "attention reconstruction loss": "models/reconstruction/",
    "auto-encoding loss": "models/reconstruction/",
    "stop gradient": "notebooks/memory/",
    "adaptive softmax": "models/adaptive/softmax/",
    "adaptive input": "models/adaptive/embedding/",
    "sinusoidal embedding": "models/embeddings/",
    "causal mask": "models/masking/",
    "layer norm": "models/transformer_xl/",
    "vanilla transformer": PAPER,
    "four terms": "notebooks/relative_shift/",
    "recurrent neural network": INTRODUCTION,
    # Names of the code
    "TransformerXL": "models/transformer_xl/",
    "CompressiveTransformer": "models/compressive/",
    "update_memory": "models/memory/",
    "Conv1dCompression": "models/compression/",
    "FeedForward": "models/feed_forward/",
    # What one wants to do
    "how do I train": TRAINING,
    "train a model": TRAINING,
    "train on my own text": TRAINING,
    "colab": "notebooks/relative_shift/",
    "generate text": "training/commands/generate/",
    "how fast is it": "measured/",
    "benchmarks": "measured/",
    "is memory worth it": "notebooks/what_memory_is_worth/",
    "pretrained weights": "training/published/",
    "annotate my code": "annotate/",
    "how to read a page": "reading/",
    "translate this site": "translate/",
}
JAPANESE = {
    "メモリ": "models/memory/",
    "相対位置": INTRODUCTION,
    "相対アテンション": LAYER,
    "マルチヘッドアテンション": LAYER,
    "再帰": PAPER,
    "圧縮": COMPRESSIVE,
    "圧縮関数": "models/compression/",
    "再構成損失": "models/reconstruction/",
    "埋め込み": "models/embeddings/",
    "マスク": "models/masking/",
    "学習": TRAINING,
    "Transformer-XLを学習する": TRAINING,
    "論文": PAPER,
    "colab": "notebooks/relative_shift/",
    "rel_shift": "models/relative_shift/",
}
CHINESE = {
    "记忆": "models/memory/",
    "相对位置": INTRODUCTION,
    "相对注意力": LAYER,
    "注意力": LAYER,
    "片段级循环": INTRODUCTION,
    "压缩": COMPRESSIVE,
    "压缩函数": "models/compression/",
    "重建损失": "models/reconstruction/",
    "嵌入": "models/embeddings/",
    "掩码": "models/masking/",
    "训练": TRAINING,
    "如何训练模型": TRAINING,
    "论文": PAPER,
    "colab": "notebooks/relative_shift/",
    "rel_shift": "models/relative_shift/",
}
