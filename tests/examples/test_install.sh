#!/usr/bin/env bash
# What an installed prefix holds, and that it works without the build tree: programs, symbols, packages, manual
# pages, completions, the files for CI.
. "$(dirname "$0")/installed.sh"

# Nothing of this machine's build is in what is installed, and the prefix may be moved.
grep -rlF -e "$BUILD_DIR" -e "$SOURCE_DIR" "$libdir/cmake" "$libdir/pkgconfig" "$prefix/share" | grep . &&
  wrong "these files name the build"
mv "$prefix" "$work/moved" && prefix=$work/moved libdir=${libdir/prefix/moved}
clean() { env -i HOME="$work" PATH="$prefix/bin:/usr/bin:/bin" "$@"; }

# Programs find the profiles that were installed with them, and the manifest that was installed is sound.
clean roofline profiles show 'NVIDIA H200' | grep -q '4.800 TB/s' || wrong "roofline does not find its profiles"
clean roofline price "$prefix/share/rooflinec/records/h200.jsonl" >"$work/priced" || wrong "pricing the shipped records"
same "rows priced" "$(wc -l <"$prefix/share/rooflinec/records/h200.jsonl")" "$(wc -l <"$work/priced")"
clean rooflinec check --strict "$prefix/share/rooflinec/ops" >"$work/log" || wrong "the manifest: $(cat "$work/log")"
for schema in "$prefix"/share/rooflinec/schemas/*.json; do
  ! command -v python3 >/dev/null || python3 -m json.tool "$schema" >/dev/null || wrong "$schema is no JSON"
done
same "the manifest's schema" "$(clean rooflinec schema)" "$(cat "$prefix/share/rooflinec/schemas/manifest.schema.json")"

# ABI: the runtime exports the symbols of libroofline.abi and those are what its headers declare; the operators'
# library adds what the generated headers declare. A symbol that goes is a new major version.
exported() { nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort; }
declared() { # HEADERS...: functions and data of the interface
  cat "$@" | sed '/^ *#/d' | tr '\n' ' ' | sed -e 's|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/||g' -e 's/static inline[^{]*{/;/g' | tr ';{}' '\n' |
    sed -nE -e 's/.*(ROOFLINE_API|roofline_status|const char \*)[^(=#]*\b(roofline_[a-z0-9_]+) *\(.*/\2/p' \
      -e 's/^ *(ROOFLINE_API )?extern const roofline_[a-z_]+ (\*const )?(roofline_[a-z0-9_]+)(\[\])?.*/\3/p'
}
exported "$libdir/libroofline.so.1" >"$work/runtime"
diff "$examples/libroofline.abi" "$work/runtime" >"$work/log" || wrong "libroofline's symbols are not those of tests/examples/libroofline.abi: $(cat "$work/log")"
declared "$prefix"/include/roofline/*.h | LC_ALL=C sort -u >"$work/declared"
comm -3 <(grep -vx roofline_ops "$work/declared") "$work/runtime" | grep . && wrong "headers and symbols differ"
declared "$prefix"/include/roofline/ops/*.h | LC_ALL=C sort -u >"$work/declared.ops"
exported "$libdir/libroofline_ops.so.1" >"$work/ops"
comm -3 <(LC_ALL=C sort -u "$work/runtime" "$work/declared.ops") "$work/ops" | grep . && wrong "operators: headers and symbols differ"
for library in roofline roofline_ops; do
  same "soname" "lib$library.so.1" "$(objdump -p "$libdir/lib$library.so" | awk '$1 == "SONAME" { print $2 }')"
  same "what lib$library.so needs" "libc.so.6 libm.so.6" \
    "$(objdump -p "$libdir/lib$library.so" | awk '$1 == "NEEDED" { print $2 }' | sort | paste -sd ' ')"
done

# Headers stand alone, in C and C++, and pkg-config says what they need.
export PKG_CONFIG_PATH=$libdir/pkgconfig
for header in "$prefix"/include/roofline/*.h "$prefix"/include/roofline/ops/*.h; do
  name=${header#"$prefix"/include/}
  [ "$name" = roofline/dlpack.h ] && ! echo '#include <dlpack/dlpack.h>' | $CC -E - >/dev/null 2>&1 && continue
  echo "#include <$name>"
done >"$work/all.c"
# shellcheck disable=SC2046
$CC -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $(pkg-config --cflags roofline-ops) "$work/all.c" ||
  wrong "headers in C"
# shellcheck disable=SC2046
$CXX -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c++ $(pkg-config --cflags roofline-ops) "$work/all.c" ||
  wrong "headers in C++"
printf '#include <roofline/ops/registry.h>\nint main(void) { return roofline_op_find(roofline_ops, "GemmFwdOp") == NULL; }\n' >"$work/find.c"
# shellcheck disable=SC2046
$CC "$work/find.c" -o "$work/find" $(pkg-config --cflags roofline-ops) "$libdir/libroofline_ops.a" "$libdir/libroofline.a" -lm &&
  clean "$work/find" || wrong "static linking"

# Manual pages: every option of every command is there, and mandoc finds nothing to say.
for program in rooflinec roofline; do
  page=$prefix/share/man/man1/$program.1
  for command in $("$prefix/bin/$program" --complete | cut -f 1); do
    for option in $("$prefix/bin/$program" --complete "$command" | cut -f 1 | grep ^--); do
      grep -q -- "^\.B.*$(sed 's/-/\\\\-/g' <<<"$option")" "$page" || wrong "$program.1 lacks $command $option"
    done
  done
  if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$page" | grep -v 'missing date' && wrong "$program.1"
  fi
done

# Completions, each in its shell.
bash_completes() { # LINE: what bash would offer
  clean bash -c 'source "$0"; COMP_WORDS=($1); [[ $1 == *" " ]] && COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _roofline "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}"; echo "${COMPREPLY[@]}"' \
    "$prefix/share/bash-completion/completions/rooflinec" "$1"
}
same "bash: commands" "check emit schema explain" "$(bash_completes 'rooflinec ')"
same "bash: words of an option" "json jsonl" "$(bash_completes 'roofline price --format j')"
same "bash: after an equals sign" "sarif" "$(bash_completes 'rooflinec check --format = s')"
same "bash: options" "--output --prefix" "$(bash_completes 'rooflinec emit --' | tr ' ' '\n' | sed -n 1,2p | paste -sd ' ')"
same "bash: a command of a command" "--ops --prefix --per-op --format" "$(bash_completes 'roofline audit plan --' | tr ' ' '\n' | sed -n 1,4p | paste -sd ' ')"
same "bash: a command's commands" "list show check" "$(bash_completes 'roofline profiles ')"
if command -v fish >/dev/null; then
  same "fish" "$(printf 'json\njsonl')" "$(clean fish -c "source '$prefix/share/fish/vendor_completions.d/roofline.fish'
    complete -C 'roofline price --format j'")"
else
  echo "fish: skipped: not here"
fi
if command -v zsh >/dev/null; then
  same "zsh" "$(printf 'check:check that every record has its fields, of their types')" "$(clean zsh -fc "
    _describe() { print -l \$found }; words=(roofline records ''); CURRENT=3
    source '$prefix/share/zsh/site-functions/_roofline'")"
else
  echo "zsh: skipped: not here"
fi
[ $failures -eq 0 ]
