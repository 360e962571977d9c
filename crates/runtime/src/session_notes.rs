//! Notes about what the ports keep for a job: the cookies of the fetcher, and what the extract port learned.

use std::time::Duration;

use gleaner_store::{Note, NoteKind, NoteValue};

use crate::context::JobContext;
use crate::shared::Shared;

/// Cookies are stored at most this often. Those of the first answer with cookies are stored with its page.
const COOKIES_INTERVAL: Duration = Duration::from_secs(1);
/// What the extract port learned, which may be large, is stored at most this often.
const TEMPLATES_INTERVAL: Duration = Duration::from_secs(10);

/// Notes about the sessions of a job that have changed, if they are due. All are due with `at_once`. There
/// are none under zero data retention, or if the store ends with the process.
pub(crate) fn session_notes(shared: &Shared, job: &JobContext, at_once: bool) -> Vec<Note> {
    if job.zero_data_retention {
        return Vec::new();
    }
    shared.notes(|| {
        let interval = |usual| if at_once { Duration::ZERO } else { usual };
        let cookies = job
            .fetch_saved
            .changed(interval(COOKIES_INTERVAL), || shared.fetch.save_session(&job.fetch_session));
        let templates = shared.extract.get().and_then(|extract| {
            let save = || extract.save_session(&job.extract_session);
            job.extract_saved.changed(interval(TEMPLATES_INTERVAL), save)
        });
        let note = |kind, bytes: Vec<u8>| Note { kind, key: 0, value: NoteValue::Set(bytes.into()) };
        let cookies = cookies.map(|bytes| note(NoteKind::Cookies, bytes));
        cookies.into_iter().chain(templates.map(|bytes| note(NoteKind::Templates, bytes))).collect()
    })
}
