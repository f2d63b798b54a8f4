"""What the dialogs share: they lie over a screen and draw as it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from textual.screen import ModalScreen

from memconsole.ui.looks import LOOKS, Looks

if TYPE_CHECKING:
    from memconsole.ui.desk import Desk

Result = TypeVar("Result")


class Dialog(ModalScreen[Result], inherit_bindings=False):
    """A screen in front of another one."""

    COMPONENT_CLASSES: ClassVar[set[str]] = LOOKS
    AUTO_FOCUS = ""

    def __init__(self, name: str) -> None:
        self.looks = Looks(self)
        super().__init__(name=name)

    @property
    def desk(self) -> Desk:
        """The app, with what is ours about it."""
        return cast("Desk", self.app)

    def notify_style_update(self) -> None:
        """Forget the looks of the old theme."""
        super().notify_style_update()
        self.looks.forget()
