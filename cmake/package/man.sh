#!/bin/sh
# man.sh PROGRAM: its --help, and that of each of its commands, as a manual page on standard output.
set -eu
program=$1
name=$(basename "$program")
version=$("$program" --version)

# One help text as man(7) under a heading; left column to column 28, indented text as it stands.
format='
  function escape(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); return s ~ /^[.\x27]/ ? "\\&" s : s }
  function enter(next_mode) {
    if (next_mode == mode) return
    if (mode == "example") print ".EE"
    if (next_mode == "example") print ".PP\n.EX"
    mode = next_mode
  }
  function trimmed(s) { sub(/^ +/, "", s); sub(/ +$/, "", s); return s }
  NR == 1 { sub(/^Usage: /, ""); print ".SH \"" heading "\"\n.B " escape($0); next }
  /^(Options|Commands):$/ { enter("list"); print ".SS " substr($0, 1, length($0) - 1); next }
  /^$/ { enter("text"); paragraph = 1; next }
  mode == "list" {
    left = trimmed(substr($0, 1, 28))
    right = substr($0, 29)
    if (substr($0, 28, 1) ~ /[^ ]/) { left = trimmed($0); right = "" }
    if (left != "") print ".TP\n.B " escape(left)
    if (right != "") print escape(right)
    next
  }
  /^ / { enter("example"); print escape(substr($0, 3)); next }
  { enter("text"); if (paragraph) print ".PP"; paragraph = 0; print escape($0) }
  END { enter("text") }'

commands() { # the commands that a help text lists
  awk '/^Commands:$/ { on = 1; next } /^$/ { on = 0 } on && /^  [a-z]/ { print $1 }'
}

page() { # the words of a command
  help=$("$program" "$@" --help)
  printf '%s\n' "$help" | awk -v heading="$(echo "$name $*" | sed 's/ $//')" "$format"
  for command in $(printf '%s\n' "$help" | commands); do
    page "$@" "$command"
  done
}

case $name in
  rooflinec) purpose='compile a manifest of GPU operators to C evaluators of flops and bytes' ;;
  *) purpose='price measured kernels against the roofs of the GPU they ran on' ;;
esac
echo ".TH $(echo "$name" | tr '[:lower:]' '[:upper:]') 1 \"\" \"$version\" \"User commands\""
echo ".SH NAME"
echo "$name \\- $purpose"
page
echo ".SH SEE ALSO"
[ "$name" = rooflinec ] && echo ".BR roofline (1)" || echo ".BR rooflinec (1)"
