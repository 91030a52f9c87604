from hypothesis import settings

# The same examples on every machine, however slow.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")
