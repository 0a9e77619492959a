"""The two ways to export: a folder for each replay, or one lake of many."""
