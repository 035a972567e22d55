r"""# Training

How a model is trained, measured and asked to write: the code behind `txl data`,
`txl train`, `txl evaluate`, `txl generate` and `txl recall`.

In the order of reading:

- `cache`: files that are whole or not there.
- `tiny_shakespeare`: a million characters, bit for bit.
- `vocabulary`: characters or bytes become numbers.
- `corpora`: what is read, and the parts that it is cut into.
- `streams`: readers that never jump, so that memory is the true past.
- `config`: all numbers of a run in one value.
- `vanilla`: the Transformer without memory, to compare with.
- `build`: from a configuration to a model and its objective.
- `machine`: devices, precision, and several processes.
- `checkpoint`: a run on disk, whole at any time.
- `plots`: losses as pictures.
- `progress`: a bar that grows.
- `board`: the same for TensorBoard, if asked for.
- `trainer`: the loop, and how it goes on after a stop.
- `evaluation`: each token predicted once.
- `context`: how much of the past a model uses to its profit.
- `generation`: a prompt, continued.
- `recall`: a task whose answer lies a chosen number of tokens back.
- `figures`: a plot in the colours of the page.
- `presets`: the baseline, and the configurations of the papers.
- `commands`: what is typed.
"""
