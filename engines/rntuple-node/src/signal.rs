//! When a process is asked to stop.

/// Waits until the process is asked to stop: by Ctrl-C, or as `kill`, HTCondor, Slurm and Kubernetes do (`SIGTERM`).
pub async fn stopped() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
