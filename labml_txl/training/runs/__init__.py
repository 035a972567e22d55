r"""# Runs

One run: all its settings in one value, the model that they describe, the loop that
trains it, and the folder that it is written to. A run that was stopped goes on as if
nothing had happened.

In the order of reading:

- `config`: all settings of a run in one value.
- `vanilla`: the Transformer without memory, to compare with.
- `build`: from a configuration to a model and its objective.
- `machine`: devices, precision, and several processes.
- `learning`: the rate, the optimizer, and when to stop.
- `storage`: the folder of a run.
- `segments`: one after another, each with the memory of those before.
- `evaluation`: each token predicted once.
- `logs`: what a run tells of itself.
- `trainer`: the loop, and how it goes on after a stop.
"""
