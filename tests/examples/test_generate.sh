#!/usr/bin/env bash
# roofline_generate() from an installed prefix: an edit regenerates and compiles what it changes and nothing else,
# under Ninja (by what it says it runs) and under Make (by which objects are new).
. "$(dirname "$0")/installed.sh"

project=$work/project
configure() { # GENERATOR
  rm -rf "$project"
  cp -r "$examples/cmake" "$project"
  cmake -S "$project" -B "$project/build" -G "$1" -DCMAKE_C_COMPILER="$CC" >"$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
}

build() { cmake --build "$project/build" >"$work/log" 2>&1; }

# Builds, then lists what was done: "emit", "cmake" (configured anew), and the C files compiled.
done_by_build() {
  local mark=$work/mark
  touch "$mark"
  sleep 0.05
  build || { echo "failed"; return; }
  {
    [ "$project/build/my_ops.roofline/emitted" -nt "$mark" ] && echo emit
    [ "$project/build/CMakeFiles/TargetDirectories.txt" -nt "$mark" ] && echo cmake
    find "$project/build" -name '*.o' -newer "$mark" -printf '%P\n' |
      sed -e 's|^CMakeFiles/[^/]*/||' -e 's|^my_ops.roofline/||' -e 's|[.]o$||'
  } | sort | paste -sd ' '
}

expect() { # WHAT "THINGS DONE"; Ninja's own count of commands is the check that nothing else ran
  local found commands
  found=$(done_by_build)
  same "$generator: $1" "$2" "$found"
  if [ "$generator" = Ninja ]; then
    commands=$(grep -cE '^\[[0-9]+/[0-9]+\] (Building C object|rooflinec emit|Re-running CMake)' "$work/log")
    same "$generator: $1: commands" "$(wc -w <<<"$2")" "$commands"
  fi
}

for generator in Ninja "Unix Makefiles"; do
  configure "$generator"
  build || { cat "$work/log"; wrong "$generator: the first build"; continue; }
  # By hand: 4096 * 4096 elements read and written; 1024 * 33 pairs less the 2 * (16 + ... + 1) that the ends cut off.
  same "$generator: numbers" "$(printf '%s\t%s\t%d\t%d\n' \
    BandScoresFwdOp small-float16 $(((1024 * 33 - 16 * 17) * 2 * 64)) $((2 * 1024 * 64 * 2 + 1024 * 1024 * 4)) \
    ScaleFwdOp square-float16-0.5 $((4096 * 4096)) $((2 * 4096 * 4096 * 2)) \
    ScaleFwdOp square-float32-0.5 $((4096 * 4096)) $((2 * 4096 * 4096 * 4)) | sed 's/-0.5//')" \
    "$("$project/build/costs")"
  expect "nothing to do" ""

  # Make looks at the manifest by configuring anew, which costs no compilation; Ninja does so only for new families.
  anew=$([ "$generator" = Ninja ] || echo "cmake ")
  sed -i 's/# One multiplication an element/# One multiplication each/' "$project/ops/scale.yaml"
  expect "a comment" "${anew}emit"
  sed -i 's/"prod(S)"/"2 * prod(S)"/' "$project/ops/scale.yaml"
  expect "a formula" "${anew}emit scale.c"
  sed -i 's/label: small/label: tiny/' "$project/ops/scores.yaml"
  expect "a label" "${anew}emit scores.c"
  sed -i 's/pairs, 2, D/pairs, 3, D/' "$project/formulas/scores.c"
  expect "a hand-written formula" "emit formulas/scores.c"
  expect "nothing to do, again" ""

  sed -e 's/scale/twice/' -e 's/ScaleFwdOp/TwiceFwdOp/' "$project/ops/scale.yaml" >"$project/ops/twice.yaml"
  same "$generator: a new file in the directory" "cmake costs.c emit registry.c twice.c" "$(done_by_build)"
  "$project/build/costs" | grep -q ^TwiceFwdOp || wrong "$generator: the new operator is missing"
  sed -i 's/family: twice/family: thrice/' "$project/ops/twice.yaml"
  same "$generator: another family" "cmake costs.c emit registry.c thrice.c" "$(done_by_build)"
  [ -e "$project/build/my_ops.roofline/twice.c" ] && wrong "$generator: the family's old files are still there"
  rm "$project/ops/twice.yaml"
  same "$generator: a file removed" "cmake costs.c emit registry.c" "$(done_by_build)"
  "$project/build/costs" | grep -q ^TwiceFwdOp && wrong "$generator: the removed operator is still there"

  printf '/* Nothing yet. */\n' >"$project/formulas/more.c"
  same "$generator: a new formula file" "cmake emit formulas/more.c" "$(done_by_build)"
  rm "$project/formulas/more.c"
  same "$generator: a formula file removed" "cmake emit" "$(done_by_build)"

  sed -i 's/"2 \* prod(S)"/"2 * prod(R)"/' "$project/ops/scale.yaml"
  build && wrong "$generator: a defect built"
  grep -q "error\[RL0412\]: unknown name 'R'" "$work/log" || { wrong "$generator: no diagnostic"; cat "$work/log"; }
  sed -i 's/prod(R)/prod(S)/' "$project/ops/scale.yaml"
  build || wrong "$generator: the defect mended"
done
[ $failures -eq 0 ]
