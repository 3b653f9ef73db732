"""The exceptions that the module raises."""


class LanescopeError(RuntimeError):
    """The program's error message, the cause and a suggested fix in one sentence each; `status` is its exit status."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status

    def _render_traceback_(self):  # notebooks show the sentence instead of a traceback
        return [str(self)]


class KernelFault(LanescopeError):
    """A mistake that a launch made. `findings` are all of them, `file` and `line` are the first one's place, and
    `result` holds the counts up to there."""

    def __init__(self, findings, result):
        first = findings[0]
        super().__init__(first["message"], 5)
        self.findings, self.result = findings, result
        self.file, self.line = first.get("file"), first.get("line")

    def _render_traceback_(self):
        return [finding["message"] for finding in self.findings]
