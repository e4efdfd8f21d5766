"""The table of tasks: where their examples come from."""

from sigprop.tasks.catalogue import TASKS


def test_a_task_without_a_folder_is_generated():
    """Otherwise no examples could be loaded; ``load_task`` asks for a folder."""
    assert {
        name for name, one in TASKS.items() if not (one.folder or one.generated)
    } == set()
    assert sum(one.folder is None for one in TASKS.values()) >= 3
