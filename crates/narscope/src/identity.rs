//! What this program is, where it runs and how it was called: for `--version` and `run.json`.

use narscope::model::run::RunInfo;

/// The commit that this program was built from; empty if it is not known.
const COMMIT: &str = env!("NARSCOPE_COMMIT");

/// The version, with the commit if it is known.
pub(crate) fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    match COMMIT.get(..10) {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    }
}

/// Describes this process for `run.json`.
pub fn info() -> RunInfo {
    RunInfo {
        command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: (!COMMIT.is_empty()).then(|| COMMIT.to_owned()),
        threads: rayon::current_num_threads(),
        environment: std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .filter(|(name, _)| matters(name))
            .map(|(name, value)| (name, value.to_string_lossy().into_owned()))
            .collect(),
    }
}

/// Whether an environment variable says how a run was started: its threads, or its job of a
/// scheduler. Others are not recorded; they may be secret.
fn matters(name: &str) -> bool {
    const NAMES: [&str; 15] = [
        "HQ_JOB_ID",
        "HQ_TASK_ID",
        "JOB_COMPLETION_INDEX",
        "JOB_ID",
        "OMP_NUM_THREADS",
        "PBS_ARRAY_INDEX",
        "PBS_JOBID",
        "RAYON_NUM_THREADS",
        "SGE_TASK_ID",
        "SLURM_ARRAY_JOB_ID",
        "SLURM_ARRAY_TASK_ID",
        "SLURM_CPUS_PER_TASK",
        "SLURM_JOB_ID",
        "SLURM_JOB_PARTITION",
        "SLURM_RESTART_COUNT",
    ];
    NAMES.contains(&name) || name.starts_with("NARSCOPE_")
}
