#!/usr/bin/env bash
# The trainings that show that networks learn: each with the defaults of the reference (preset clrs, 10,000
# steps), or where its name says so with the settings of the paper's authors. One after the other; a run that
# is there is taken up where it stopped, one that is done is skipped. What is kept of a run goes to
# experiments/results/learns/.
#
#   cargo build --release && experiments/learns.sh [PATTERN]     # only runs whose name has PATTERN
#   experiments/learns.sh --table                                # what came of those that are done
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" = --table ]; then
    echo "| run | score | whole samples | valid | minutes | commit |"
    echo "| --- | ---: | ---: | ---: | ---: | --- |"
    for kept in experiments/results/learns/*/; do
        minutes=$([ -e "$kept/seconds" ] && awk '{ printf "%.1f", $1 / 60 }' "$kept/seconds" || true)
        jq -r --arg run "$(basename "$kept")" --arg minutes "$minutes" --arg commit "$(cat "$kept/commit")" \
            'def percent: . * 10000 | round / 100; .[0] |
             "| \($run) | \(.score | percent) | \(.exact | percent) | \(if .valid then .valid.score | percent else "" end) | \($minutes) | \($commit) |"' \
            "$kept/test.json"
    done
    exit
fi

# A copy: the binary may be built anew while this runs.
binary=runs/learns/narscope
mkdir -p runs/learns
if [ ! -e "$binary" ]; then
    cp target/release/narscope "$binary"
    # What matters is the code: results of earlier runs may lie around.
    dirty=$(git diff --quiet HEAD -- crates Cargo.toml Cargo.lock || echo -dirty)
    echo "$(git rev-parse --short HEAD)$dirty" >runs/learns/commit
fi
pattern=${1:-}

learn() {
    local name=$1
    shift
    [[ $name == *"$pattern"* ]] || return 0
    local run=runs/learns/$name kept=experiments/results/learns/$name
    [ -e "$kept/test.json" ] && return 0
    local start=$SECONDS
    if [ -e "$run/last.safetensors" ]; then
        "$binary" train --resume "$run" --quiet
        start= # Nobody knows how long it took altogether.
    else
        "$binary" train --preset "${preset:-clrs}" "$@" --out "$run" --quiet
    fi
    mkdir -p "$kept"
    cp "$run/config.toml" runs/learns/commit "$kept/"
    # Every tenth validation.
    awk 'NR % 10 == 1' "$run/metrics.jsonl" >"$kept/metrics.jsonl"
    if [ -n "$start" ]; then echo $((SECONDS - start)) >"$kept/seconds"; fi
    cp "$run/test.json" "$kept/test.json.new"
    mv "$kept/test.json.new" "$kept/test.json"
}

softmax="--aggregator softmax --temperature 0.01"
decay="--decay 0.9"

variants() { # algorithm, processor, seed
    learn "$1-$2-softmax-$3" --algorithms "$1" --processor_type "$2" --seed "$3" $softmax
    learn "$1-$2-decay-$3" --algorithms "$1" --processor_type "$2" --seed "$3" $decay
    learn "$1-$2-both-$3" --algorithms "$1" --processor_type "$2" --seed "$3" $softmax $decay
}

for seed in 42 43 44; do
    for processor in linear_pgn mpnn pgn triplet_gmpnn; do
        learn "bellman_ford-$processor-$seed" --algorithms bellman_ford --processor_type $processor --seed $seed
    done
    variants bellman_ford linear_pgn $seed
    if [ $seed = 42 ]; then
        for algorithm in bfs minimum segments_intersect dijkstra insertion_sort; do
            for processor in mpnn triplet_gmpnn; do
                learn "$algorithm-$processor-42" --algorithms $algorithm --processor_type $processor --seed 42
            done
        done
    fi
    variants bellman_ford triplet_gmpnn $seed
done

# Why is mpnn better than in the paper? The same with the authors' settings, 30,000 steps.
preset=paper learn bellman_ford-mpnn-paper-42 --algorithms bellman_ford --processor_type mpnn --seed 42 --directed_training
# And with true hints at half of the steps, 10,000 of them.
preset=paper learn bellman_ford-mpnn-paper-forced-42 --algorithms bellman_ford --processor_type mpnn --seed 42 --directed_training --hint_teacher_forcing 0.5 --train_steps 10000
# And from the benchmark's own 1,000 samples of 16 nodes, as its first authors trained.
for algorithm in bellman_ford segments_intersect; do
    preset=paper learn "$algorithm-mpnn-paper-fixed-42" --algorithms $algorithm --processor_type mpnn --seed 42 --train_lengths -1 --train_steps 10000
done
