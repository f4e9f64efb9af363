//! [`Server`]: the state that connections share: stored responses, running ones, and the counter for ids.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deltafold::json::Value;
use tokio::sync::watch;

use crate::Options;

/// The server's memory.
#[derive(Debug)]
pub struct Server {
    pub(crate) options: Options,
    names: AtomicU64,
    stored: Mutex<HashMap<String, Arc<StoredResponse>>>,
    running: Mutex<HashMap<String, Arc<ActiveResponse>>>,
}

/// A response that later turns can continue from.
#[derive(Debug)]
pub(crate) struct StoredResponse {
    /// The whole conversation up to its end: old input, old output, its input, its output.
    pub(crate) items: Vec<Value>,
}

/// A response that is being written.
#[derive(Debug)]
pub(crate) struct ActiveResponse {
    cancelled: watch::Sender<bool>,
    /// The response as JSON text, once it has ended.
    ended: watch::Sender<Option<String>>,
}

impl Server {
    pub(crate) fn new(options: Options) -> Self {
        Self { options, names: AtomicU64::new(1), stored: Mutex::default(), running: Mutex::default() }
    }

    /// Returns a new id. A counter instead of randomness makes responses reproducible.
    pub(crate) fn next_id(&self, prefix: &str) -> String {
        format!("{prefix}_{:08}", self.names.fetch_add(1, Ordering::Relaxed))
    }

    pub(crate) fn store(&self, id: &str, items: Vec<Value>) {
        lock(&self.stored).insert(id.to_owned(), Arc::new(StoredResponse { items }));
    }

    pub(crate) fn stored(&self, id: &str) -> Option<Arc<StoredResponse>> {
        lock(&self.stored).get(id).cloned()
    }

    pub(crate) fn run(&self, id: &str) -> Arc<ActiveResponse> {
        let running =
            Arc::new(ActiveResponse { cancelled: watch::Sender::new(false), ended: watch::Sender::new(None) });
        lock(&self.running).insert(id.to_owned(), Arc::clone(&running));
        running
    }

    pub(crate) fn running(&self, id: &str) -> Option<Arc<ActiveResponse>> {
        lock(&self.running).get(id).cloned()
    }

    pub(crate) fn end(&self, id: &str, response: String) {
        if let Some(running) = lock(&self.running).remove(id) {
            running.ended.send_replace(Some(response));
        }
    }
}

impl ActiveResponse {
    /// Requests the end, waits for it, and returns the final response.
    pub(crate) async fn cancel(&self) -> String {
        self.cancelled.send_replace(true);
        let mut ended = self.ended.subscribe();
        let response = ended.wait_for(Option::is_some).await.ok().and_then(|response| response.clone());
        response.unwrap_or_default()
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        *self.cancelled.borrow()
    }

    pub(crate) async fn until_cancelled(&self) {
        // The sender is owned by `self`, so waiting cannot fail earlier.
        let _ = self.cancelled.subscribe().wait_for(|cancelled| *cancelled).await;
    }
}

/// A panic while the lock is held leaves the map in a valid state: every change is one call.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
