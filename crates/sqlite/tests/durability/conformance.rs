//! The suite that every store runs.

use std::cell::Cell;
use std::time::Duration;

use gleaner_sqlite::{FileConfig, open_store};
use gleaner_store::{MemoryConfig, conformance};

#[tokio::test]
async fn the_store_in_a_file_keeps_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let files = Cell::new(0);
    conformance::run(async || {
        files.set(files.get() + 1);
        let path = folder.path().join(format!("{}.db", files.get()));
        let now = Duration::from_secs(1_700_000_000);
        let (store, opened) =
            open_store(&path, &FileConfig::default(), MemoryConfig::default(), now).unwrap();
        assert_eq!(opened.epoch, 1);
        store
    })
    .await;
}
