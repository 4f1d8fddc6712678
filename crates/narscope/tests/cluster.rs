//! A sweep on a real Slurm cluster: a controller and two nodes on the loopback device. The sweep loses a
//! task and a node, and must end with results bit-identical to a local sweep.
//!
//! Needs Slurm, munge and root, and a few minutes: `cargo xtask ci --cluster` installs what is missing.

#![cfg(target_os = "linux")]

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

mod terminal;
use terminal::{command, succeeds};

/// Eight runs, long enough to be interrupted.
const SWEEP: &str = r#"
out = "runs"
[base]
processor_type = "mpnn"
hidden_size = 16
batch_size = 8
train_lengths = [8]
train_steps = 4000
eval_every = 50
[axes]
algorithms = ["bfs", "bellman_ford"]
variant = ["baseline", "decay"]
seed = [1, 2]
[variants]
baseline = {}
decay = { decay = 0.9 }
[resources]
cpus = 1
time = "00:30:00"
"#;
const RUNS: usize = 8;
/// Array indices must be below this, so that the sweep needs two arrays.
const MAX_ARRAY_SIZE: usize = 5;

/// A Slurm cluster on this machine; its daemons are stopped on drop.
struct Cluster {
    folder: TempDir,
    daemons: Vec<(&'static str, Child)>,
}

/// A running task of the sweep.
#[derive(Clone, Debug)]
struct Task {
    process: i32,
    node: String,
    number: String,
    job: String,
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl Cluster {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().display();
        let host = Command::new("hostname").output().expect("hostname is installed");
        let host = String::from_utf8(host.stdout).unwrap();
        let [controller, n1, n2] = [free_port(), free_port(), free_port()];
        let config = format!(
            "ClusterName=narscope\nSlurmctldHost={}(127.0.0.1)\nSlurmctldPort={controller}\n\
             SlurmUser=root\nSlurmdUser=root\nAuthType=auth/munge\nCredType=cred/munge\n\
             AuthInfo=socket={path}/munge.socket,cred_expire=5\n\
             StateSaveLocation={path}/state\nSlurmdSpoolDir={path}/%n\n\
             SlurmctldPidFile={path}/slurmctld.pid\nSlurmdPidFile={path}/%n.pid\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nMpiDefault=none\n\
             JobAcctGatherType=jobacct_gather/none\nAccountingStorageType=accounting_storage/none\n\
             SlurmdTimeout=6\nKillWait=20\nReturnToService=2\nMaxArraySize={MAX_ARRAY_SIZE}\n\
             NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port={n1} CPUs=1\n\
             NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port={n2} CPUs=1\n\
             PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP\n",
            host.trim()
        );
        fs::write(folder.path().join("slurm.conf"), config).unwrap();
        let key = folder.path().join("munge.key");
        fs::write(&key, [7; 1024]).unwrap();
        let owner_only = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o600);
        fs::set_permissions(&key, owner_only).unwrap();
        for inside in ["state", "n1", "n2"] {
            fs::create_dir(folder.path().join(inside)).unwrap();
        }
        let mut cluster = Self { folder, daemons: vec![] };
        let at = |name: &str, file: &str| {
            format!("--{name}={}", cluster.folder.path().join(file).display())
        };
        let munge = [
            "--foreground".to_owned(),
            "--force".to_owned(),
            at("key-file", "munge.key"),
            at("socket", "munge.socket"),
            at("pid-file", "munged.pid"),
            at("log-file", "munged.log"),
            at("seed-file", "munged.seed"),
        ];
        cluster.daemon("munge", "munged", &munge.each_ref().map(String::as_str));
        cluster.until("munge answers", |it| it.folder.path().join("munge.socket").exists());
        cluster.daemon("controller", "slurmctld", &["-D"]);
        cluster.daemon("n1", "slurmd", &["-D", "-N", "n1"]);
        cluster.daemon("n2", "slurmd", &["-D", "-N", "n2"]);
        cluster.until("both nodes are idle", |it| {
            it.slurm("sinfo", "-h -N -o %T").lines().filter(|state| *state == "idle").count() == 2
        });
        cluster
    }

    fn daemon(&mut self, name: &'static str, program: &str, arguments: &[&str]) {
        let log = fs::File::create(self.folder.path().join(format!("{name}.txt"))).unwrap();
        let child = Command::new(program)
            .args(arguments)
            .env("SLURM_CONF", self.config())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn();
        let child = child.unwrap_or_else(|error| {
            panic!("{program} cannot be started ({error}): cargo xtask ci --cluster installs it")
        });
        self.daemons.push((name, child));
    }

    fn config(&self) -> PathBuf {
        self.folder.path().join("slurm.conf")
    }

    /// Standard output of a Slurm program, whatever its exit code.
    fn slurm(&self, program: &str, arguments: &str) -> String {
        let mut command = Command::new(program);
        let command = command.args(arguments.split_whitespace()).env("SLURM_CONF", self.config());
        let output = command.output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Standard output of narscope, with this cluster as its Slurm.
    fn narscope(&self, folder: &Path, arguments: &str) -> String {
        let output = command(folder, arguments).env("SLURM_CONF", self.config()).output().unwrap();
        assert!(output.status.success(), "{arguments}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn queue(&self) -> String {
        self.slurm("squeue", "-h -r -o %i|%T|%N|%r")
    }

    #[track_caller]
    fn until(&self, what: &str, mut is_true: impl FnMut(&Self) -> bool) {
        let start = Instant::now();
        while !is_true(self) {
            if start.elapsed() > Duration::from_mins(5) {
                let logs = ["controller", "n1", "n2"].map(|name| {
                    fs::read_to_string(self.folder.path().join(format!("{name}.txt"))).unwrap()
                });
                panic!("timeout: {what}\n{}\n{}", self.queue(), logs.join("\n"));
            }
            sleep(Duration::from_millis(200));
        }
    }

    /// Waits for the next task that a node starts, and until it is training.
    fn next_task(&self, node: &str) -> Task {
        let before = on(node).map(|task| task.process);
        let mut next = None;
        self.until("the node starts a task", |_| {
            next = on(node).filter(|task| Some(task.process) != before);
            next.is_some()
        });
        sleep(Duration::from_secs(1));
        next.expect("the loop above ends with a task")
    }

    /// Simulates the loss of a machine: kills the node's daemon and all its processes.
    fn lose_node(&mut self, node: &'static str, task: &Task) {
        let place = self.daemons.iter().position(|(name, _)| *name == node).unwrap();
        let (_, mut slurmd) = self.daemons.remove(place);
        slurmd.kill().unwrap();
        slurmd.wait().unwrap();
        // Parents first: they would report the end of the task.
        let script = parent(task.process);
        for process in [parent(script), script, task.process] {
            kill(Pid::from_raw(process), Signal::SIGKILL).unwrap();
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for task in tasks() {
            let _ = kill(Pid::from_raw(task.process), Signal::SIGKILL);
        }
        for (_, child) in self.daemons.iter_mut().rev() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn parent(process: i32) -> i32 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap();
    line.trim().parse().unwrap()
}

/// All narscope processes started by a node.
fn tasks() -> Vec<Task> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let processes = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    processes.filter_map(task).collect()
}

fn task(process: i32) -> Option<Task> {
    let of = |file: &str| fs::read(format!("/proc/{process}/{file}")).ok();
    if of("comm")? != b"narscope\n" {
        return None;
    }
    let environment = of("environ")?;
    let environment = String::from_utf8_lossy(&environment);
    let variable = |name: &str| {
        let values = environment.split('\0').filter_map(|it| it.split_once('='));
        let mut values = values.filter(|(other, _)| *other == name);
        values.next().map(|(_, value)| value.to_owned())
    };
    Some(Task {
        process,
        node: variable("SLURMD_NODENAME")?,
        number: variable("SLURM_ARRAY_TASK_ID")?,
        job: variable("SLURM_ARRAY_JOB_ID")?,
    })
}

fn on(node: &str) -> Option<Task> {
    tasks().into_iter().find(|task| task.node == node)
}

/// The folders of all runs.
fn runs(folder: &Path) -> Vec<PathBuf> {
    let mut runs = vec![];
    for algorithm in ["bfs", "bellman_ford"] {
        for variant in ["baseline", "decay"] {
            for seed in [1, 2] {
                runs.push(folder.join(format!("runs/{algorithm}/{variant}/seed={seed}")));
            }
        }
    }
    assert_eq!(runs.len(), RUNS);
    runs
}

/// The files of all runs that must not depend on how the sweep was executed.
fn results(folder: &Path) -> Vec<Vec<u8>> {
    let files = ["best.safetensors", "last.safetensors", "test.json", "DONE"];
    let of = |run: &PathBuf| files.map(|file| fs::read(run.join(file)).unwrap());
    runs(folder).iter().flat_map(of).collect()
}

/// Number of runs that have a checkpoint and are not finished.
fn unfinished(folder: &Path) -> usize {
    let is_unfinished =
        |run: &&PathBuf| run.join("best.safetensors").exists() && !run.join("DONE").exists();
    runs(folder).iter().filter(is_unfinished).count()
}

fn written() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("sweep.toml"), SWEEP).unwrap();
    folder
}

#[test]
#[ignore = "needs Slurm: cargo xtask ci --cluster"]
fn a_sweep_that_loses_a_task_and_a_node_is_bit_identical_to_a_local_one() {
    let local = written();
    succeeds(local.path(), "sweep run sweep.toml --jobs 2 --quiet");

    let mut cluster = Cluster::start();
    let shared = written();
    let folder = shared.path();
    let nowhere = "sweep submit sweep.toml --executor slurm --partition nowhere";
    let output = command(folder, nowhere).env("SLURM_CONF", cluster.config()).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && error.contains("invalid partition"), "{error}");

    let submit = "sweep submit sweep.toml --executor slurm";
    let submitted = cluster.narscope(folder, submit);
    let counts: Vec<&str> =
        submitted.lines().map(|line| line.split_once(": ").unwrap().1).collect();
    assert_eq!(counts, ["4 tasks", "4 tasks"], "array indices stay below MaxArraySize");
    let output = command(folder, submit).env("SLURM_CONF", cluster.config()).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && error.contains("are in the queue"), "{error}");
    cluster.until("two tasks have a checkpoint", |_| unfinished(folder) >= 2);

    // A task near its time limit saves its run and is requeued.
    let late = cluster.next_task("n1");
    let id = format!("{}_{}", late.job, late.number);
    cluster.slurm("scancel", &format!("--batch --signal=USR1 {id}"));
    cluster.until("the task is queued again", |it| {
        it.queue().lines().any(|line| line.starts_with(&format!("{id}|PENDING")))
    });

    // One node is lost, and a task on the other is killed.
    let lost = cluster.next_task("n2");
    cluster.lose_node("n2", &lost);
    let killed = cluster.next_task("n1");
    kill(Pid::from_raw(killed.process), Signal::SIGKILL).unwrap();
    cluster.until("the controller marks the node as down", |it| {
        it.slurm("sinfo", "-h -N -n n2 -o %T").starts_with("down")
    });
    cluster.until("the queue is empty", |it| it.queue().is_empty());
    let status = cluster.narscope(folder, "sweep status sweep.toml");
    assert!(status.ends_with("7 done, 1 begun, 0 failed, 0 waiting\n"), "{status}");

    // Only the killed run is submitted again. A cancelled task saves its run and is not requeued.
    assert!(cluster.narscope(folder, submit).ends_with(": 1 tasks\n"));
    let cancelled = cluster.next_task("n1");
    cluster.slurm("scancel", &cancelled.job);
    cluster.until("the cancelled task has ended", |it| on("n1").is_none() && it.queue().is_empty());
    let log = folder.join(format!("runs/logs/{}_{}.txt", cancelled.job, cancelled.number));
    let log = fs::read_to_string(log).unwrap();
    assert!(log.contains("saved after step"), "{log}");
    assert!(cluster.narscope(folder, submit).ends_with(": 1 tasks\n"));
    cluster.until("the queue is empty", |it| it.queue().is_empty());

    assert_eq!(cluster.narscope(folder, submit), format!("all {RUNS} runs are done\n"));
    let table = |folder: &Path| succeeds(folder, "table runs --format json");
    assert_eq!(table(folder), table(local.path()));
    assert!(
        results(folder) == results(local.path()),
        "results differ from those of the local sweep"
    );
}
