"""What only some users need.

Each extension has its own verbs, options and files, and may import the core, which is the rest of
lve. The core never imports an extension: `lve.extension_table` has their names.
"""
