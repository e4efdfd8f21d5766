"""The table of tasks: where their examples come from."""

from sigprop.tasks.catalogue import TASKS


def test_a_task_without_a_folder_is_generated():
    """Otherwise no examples could be loaded; ``load_task`` asks for a folder."""
    assert {
        name for name, task in TASKS.items() if not (task.folder or task.generated)
    } == set()
    assert sum(task.folder is None for task in TASKS.values()) >= 3
