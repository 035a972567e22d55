r"""# Curves and logs

What a run tells of itself while it learns: its losses as a file, as a picture, for
TensorBoard or Weights & Biases, and as a bar that grows. Nothing here changes what is
learned.

In the order of reading:

- `plots`: losses as pictures.
- `curve`: the losses of a run, step by step.
- `board`: the losses for TensorBoard, with `--tensorboard`.
- `weights_and_biases`: the losses for Weights & Biases, with `--wandb`.
- `progress`: a bar that grows while a notebook works.
"""
