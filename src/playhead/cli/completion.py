"""Completion by the shell: commands, options, choices, names of tables and kinds of events.

The script of a shell runs ``playhead`` with the words up to the cursor as arguments and ``_PLAYHEAD_COMPLETE`` set
to the shell's name, and offers the lines that it prints.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from playhead import Replay, ReplayError, open
from playhead.cli.arguments import UsageError
from playhead.cli.commands import GROUPS, load, summary
from playhead.export import FORMATS
from playhead.registry import vocabulary

_BASH = """\
_playhead_completion() {
    local IFS=$'\\n'
    COMPREPLY=( $( _PLAYHEAD_COMPLETE=bash "$1" "${COMP_WORDS[@]:1:COMP_CWORD}" ) )
}
complete -o default -F _playhead_completion playhead"""

_ZSH = """\
#compdef playhead
_playhead_completion() {
  local -a found
  found=("${(@f)$(_PLAYHEAD_COMPLETE=zsh playhead "${(@Q)words[2,CURRENT]}")}")
  if [[ -n "$found" ]]; then _describe playhead found; else _files; fi
}
compdef _playhead_completion playhead"""

_FISH = """\
complete -c playhead -a "(env _PLAYHEAD_COMPLETE=fish playhead (commandline -opc)[2..-1] (commandline -ct))\""""

_POWERSHELL = """\
Register-ArgumentCompleter -Native -CommandName playhead -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ($wordToComplete -eq "") { $words += '""' }
    $Env:_PLAYHEAD_COMPLETE = "powershell"
    playhead @words | ForEach-Object {
        $name, $text = $_ -split "`t"
        [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', "$text ")
    }
    $Env:_PLAYHEAD_COMPLETE = ""
}"""

_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH, "powershell": _POWERSHELL, "pwsh": _POWERSHELL}

#: Where each script is installed below the home directory, and the file that sources it with a line.
_PLACES = {
    "bash": (".bash_completions/playhead.sh", ".bashrc", "source ~/.bash_completions/playhead.sh"),
    "zsh": (".zfunc/_playhead", ".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
    "fish": (".config/fish/completions/playhead.fish", None, ""),
}


def script(shell: str) -> str:
    """Return the script of a shell; of the user's if `shell` is empty.

    Raises:
        UsageError: there is no script for it.
    """
    return _SCRIPTS[_known(shell)]


def install(shell: str) -> Path:
    """Install the script of a shell for the user; return the file it was written to."""
    shell = _known(shell)
    if shell not in _PLACES:
        asked = [shell, "-NoProfile", "-Command", "echo $profile"]
        profile = Path(subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=True).stdout.strip())
        _append(profile, _SCRIPTS[shell])
        return profile
    place, sourced_by, line = _PLACES[shell]
    path = Path.home() / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{_SCRIPTS[shell]}\n", encoding="utf-8", newline="\n")
    if sourced_by is not None:
        _append(Path.home() / sourced_by, line)
    return path


def _known(shell: str) -> str:
    name = shell or ("powershell" if os.name == "nt" else Path(os.environ.get("SHELL", "")).name)
    if name not in _SCRIPTS:
        raise UsageError(f"expected one of {', '.join(_SCRIPTS)}, got {name or 'none'}", "SHELL")
    return name


def _append(path: Path, text: str) -> None:
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    if text not in before:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{before}\n{text}\n", encoding="utf-8", newline="\n")


def print_candidates(shell: str, words: Sequence[str]) -> None:
    """Print the candidates for the last word, each on a line as the shell's script expects it."""
    for name, text in candidates([word.strip("'\"").replace("\\ ", " ") for word in words]):
        if shell == "zsh":
            print(f"{name.replace(':', chr(92) + ':')}:{text}")
        else:
            print(name if shell == "bash" or not text else f"{name}\t{text}")


def candidates(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return the candidates for the last word with their descriptions; none where the shell completes files."""
    *before, last = words or [""]
    name = ""
    while name in GROUPS and before:
        word = before.pop(0)
        if word not in GROUPS[name]:
            return []
        name = f"{name} {word}".strip()
    if name in GROUPS:
        each = {word: summary(f"{name} {word}".strip()).strip().partition("\n")[0] for word in GROUPS[name]}
        return [(word, text) for word, text in each.items() if word.startswith(last)]
    parser, _ = load(name)
    actions = {option: action for action in parser.declared for option in action.option_strings}
    asked = actions.get(before[-1]) if before else None
    if asked is not None and asked.nargs != 0:
        found: Iterable[str] = asked.choices or ()
        if "--table" in asked.option_strings:
            found = _names(before, last, "tables")
        elif "--kind" in asked.option_strings:
            found = _names(before, last, "event_kinds")
        elif "--format" in asked.option_strings and not found:
            found = (*FORMATS, "arrow", *sorted(vocabulary().documents))
        return [(word, "") for word in found if word.startswith(last)]
    if not last.startswith("-"):
        return []
    return [(option, action.help or "") for option, action in actions.items() if option.startswith(last)]


def _names(words: Sequence[str], last: str, sort: str) -> list[str]:
    """Return the ``tables`` or ``event_kinds`` of the first replay among the words, else of any format."""
    replay = _replay(words)
    before, comma, _ = last.rpartition(",")
    return [f"{before}{comma}{name}" for name in sorted(getattr(replay or vocabulary(), sort))]


def _replay(words: Sequence[str]) -> Replay | None:
    """Return the first replay among the words."""
    for word in words:
        if os.path.isfile(word):
            try:
                return open(word)
            except (ReplayError, OSError, ModuleNotFoundError):
                return None
    return None
