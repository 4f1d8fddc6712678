//! Ctrl-C: at once, or, for work that can be saved, at the next good moment.

use std::sync::atomic::{AtomicBool, Ordering};

/// What a process returns that was told to stop.
pub(crate) const EXIT_CODE: i32 = 130;

static SAVES: AtomicBool = AtomicBool::new(false);
static WANTED: AtomicBool = AtomicBool::new(false);

/// Installs the handler.
pub(crate) fn install() -> anyhow::Result<()> {
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
