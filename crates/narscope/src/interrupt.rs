//! Ctrl-C: at once, or, for work that can be saved, at the next good moment.
//!
//! Schedulers send SIGUSR1, too, when time is nearly over: work is saved then, however often they do.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

/// What a process returns that was told to stop.
pub(crate) const EXIT_CODE: i32 = 130;

static SAVES: AtomicBool = AtomicBool::new(false);
static WANTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Installs the handlers.
pub(crate) fn install() -> anyhow::Result<()> {
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGUSR1, Arc::clone(&WANTED))?;
    ctrlc::set_handler(|| {
        // Who asks twice does not want to wait.
        if SAVES.load(Ordering::Relaxed) && !WANTED.swap(true, Ordering::Relaxed) {
            return;
        }
        narscope::files::whole::abandon();
        std::process::exit(EXIT_CODE);
    })?;
    Ok(())
}

/// From now on, work is saved when the user wants to stop.
pub(crate) fn save_first() {
    SAVES.store(true, Ordering::Relaxed);
}

/// Whether the user wants to stop.
pub(crate) fn is_wanted() -> bool {
    WANTED.load(Ordering::Relaxed)
}
