"""Small faults put into a copy of the code and of the specs, to see which of them no test notices.

A fault that every test passes is a *survivor*: either a test is missing, or the fault changes
nothing, and then `survivors.yaml` lists it with the reason.
"""
