//! Copies in files, which survive a restart.
//!
//! One file for each entry, with a checksum, written to a temporary file and then renamed. Alternative: an
//! embedded database. It would make every page of a crawl a transaction with an `fsync`, for a cache that may
//! lose anything at any time. And one damaged page of its tree can cost all entries, while here a damaged
//! file costs one entry. A crash leaves at most a temporary file, which the next start removes.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gleaner_types::BoxFuture;

use super::{CacheEntry, CacheKey, CacheStore};

/// A file counts as whole blocks of this many bytes. This also bounds the number of entries.
const BLOCK_BYTES: u64 = 4096;
/// The folder of this layout of files. Another layout gets another name and leaves this folder alone.
const LAYOUT: &str = "v1";
/// Prefix of temporary files.
const UNFINISHED: &str = "unfinished-";

/// Copies in a folder, bounded in bytes. The least recently used entry is evicted first. Cheap to clone.
///
/// The folder belongs to one cache at a time. Its files are not encrypted: keep it where others cannot read
/// it.
#[derive(Debug, Clone)]
pub struct DiskCache(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    max_bytes: u64,
    index: Mutex<Index>,
    /// Locks the folder for this process.
    lock: File,
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Explicit, because closing the file may not be enough: a child process that is just being started
        // has a copy of the handle, and would hold the lock until its program begins.
        let _ = self.lock.unlock();
    }
}

/// The files and the order in which they were used.
#[derive(Debug, Default)]
struct Index {
    files: HashMap<String, IndexedFile>,
    by_use: BTreeMap<u64, String>,
    next_use: u64,
    bytes: u64,
}

#[derive(Debug)]
struct IndexedFile {
    bytes: u64,
    last_use: u64,
}

impl Index {
    fn add(&mut self, name: &str, bytes: u64) {
        self.remove(name);
        let bytes = bytes.div_ceil(BLOCK_BYTES).max(1) * BLOCK_BYTES;
        let last_use = self.next_use;
        self.next_use += 1;
        self.bytes += bytes;
        self.by_use.insert(last_use, name.to_owned());
        self.files.insert(name.to_owned(), IndexedFile { bytes, last_use });
    }

    fn touch(&mut self, name: &str) {
        if let Some(file) = self.files.get_mut(name)
            && let Some(name) = self.by_use.remove(&file.last_use)
        {
            file.last_use = self.next_use;
            self.by_use.insert(self.next_use, name);
            self.next_use += 1;
        }
    }

    fn remove(&mut self, name: &str) {
        if let Some(file) = self.files.remove(name) {
            self.bytes -= file.bytes;
            self.by_use.remove(&file.last_use);
        }
    }

    /// Removes the least recently used entries until at most `max_bytes` are left, and returns their names.
    fn evict(&mut self, max_bytes: u64) -> Vec<String> {
        let mut evicted = Vec::new();
        while self.bytes > max_bytes
            && let Some(name) = self.by_use.first_key_value().map(|(_, name)| name.clone())
        {
            self.remove(&name);
            evicted.push(name);
        }
        evicted
    }
}

impl DiskCache {
    /// Opens the cache in `folder` and lists its files. Creates the folder if it does not exist. This blocks
    /// the calling thread: with many entries, call it on a blocking thread.
    ///
    /// # Errors
    ///
    /// Errors of the file system; [`io::ErrorKind::ResourceBusy`] if another cache has the folder open.
    pub fn open(folder: impl AsRef<Path>, max_bytes: u64) -> io::Result<Self> {
        let folder = folder.as_ref().join(LAYOUT);
        create_private(&folder)?;
        let lock = File::create(folder.join("lock"))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => {
                io::Error::new(io::ErrorKind::ResourceBusy, "another cache has this folder open")
            }
            TryLockError::Error(error) => error,
        })?;
        let mut files = Vec::new();
        for file in fs::read_dir(&folder)? {
            let file = file?;
            let Ok(name) = file.file_name().into_string() else { continue };
            if name.starts_with(UNFINISHED) {
                let _ = fs::remove_file(file.path());
            } else if name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                let metadata = file.metadata()?;
                files.push((metadata.modified()?, name, metadata.len()));
            }
        }
        files.sort_unstable();
        let mut index = Index::default();
        for (_, name, bytes) in &files {
            index.add(name, *bytes);
        }
        let cache = Self(Arc::new(Inner { folder, max_bytes, index: Mutex::new(index), lock }));
        cache.0.evict();
        Ok(cache)
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner) -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let inner = Arc::clone(&self.0);
        tokio::task::spawn_blocking(move || work(&inner)).await.map_err(io::Error::other)?
    }
}

impl Inner {
    fn index(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn evict(&self) {
        let evicted = self.index().evict(self.max_bytes);
        for name in evicted {
            let _ = fs::remove_file(self.folder.join(name));
        }
    }

    fn forget(&self, name: &str) -> io::Result<()> {
        self.index().remove(name);
        match fs::remove_file(self.folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn read(&self, name: &str) -> io::Result<Option<CacheEntry>> {
        let bytes = match fs::read(self.folder.join(name)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        match CacheEntry::decode(bytes) {
            // The file was renamed, or two keys have the same name.
            Ok(entry) if entry.key().name() != name => Ok(None),
            Ok(entry) => {
                self.index().touch(name);
                Ok(Some(entry))
            }
            Err(corrupt) => {
                self.forget(name)?;
                Err(io::Error::new(io::ErrorKind::InvalidData, corrupt))
            }
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() as u64 > self.max_bytes {
            return self.forget(name);
        }
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.folder)?;
        file.write_all(bytes)?;
        // Renamed and counted under one lock, so that with two writers of one name the count fits the file
        // that stays.
        let mut index = self.index();
        file.persist(self.folder.join(name)).map_err(|failed| failed.error)?;
        index.add(name, bytes.len() as u64);
        drop(index);
        self.evict();
        Ok(())
    }
}

/// Creates a folder that only its owner can read, if the system supports it.
fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

impl CacheStore for DiskCache {
    fn get<'a>(&'a self, key: &'a CacheKey) -> BoxFuture<'a, io::Result<Option<Arc<CacheEntry>>>> {
        Box::pin(async move {
            let name = key.name();
            if !self.0.index().files.contains_key(&name) {
                return Ok(None);
            }
            Ok(self.blocking(move |inner| inner.read(&name)).await?.map(Arc::new))
        })
    }

    fn put(&self, entry: Arc<CacheEntry>) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(async move {
            self.blocking(move |inner| inner.write(&entry.key().name(), &entry.encode())).await
        })
    }

    fn remove<'a>(&'a self, key: &'a CacheKey) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            let name = key.name();
            self.blocking(move |inner| inner.forget(&name)).await
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::entry::tests::entry;
    use super::*;

    fn open(folder: &Path) -> DiskCache {
        DiskCache::open(folder, 1_000_000).unwrap()
    }

    /// Bytes in whole blocks, and the number of entries.
    fn size(cache: &DiskCache) -> (u64, usize) {
        let index = cache.0.index();
        (index.bytes, index.files.len())
    }

    fn only_file(folder: &Path) -> PathBuf {
        let mut files = fs::read_dir(folder.join(LAYOUT)).unwrap().map(|file| file.unwrap().path());
        files.find(|path| path.file_name().unwrap().len() == 64).unwrap()
    }

    #[tokio::test]
    async fn entries_survive_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (Arc::new(entry("/1", b"one")), Arc::new(entry("/2", b"other")));
        let cache = open(folder.path());
        cache.put(Arc::clone(&one)).await.unwrap();
        cache.put(Arc::clone(&other)).await.unwrap();
        cache.remove(other.key()).await.unwrap();
        assert_eq!(cache.get(one.key()).await.unwrap(), Some(Arc::clone(&one)));
        drop(cache);
        fs::write(folder.path().join(LAYOUT).join(format!("{UNFINISHED}1")), "torn").unwrap();
        let cache = open(folder.path());
        assert_eq!(cache.get(one.key()).await.unwrap(), Some(one));
        assert_eq!(cache.get(other.key()).await.unwrap(), None);
        assert_eq!(size(&cache), (BLOCK_BYTES, 1));
        assert_eq!(fs::read_dir(folder.path().join(LAYOUT)).unwrap().count(), 2, "the entry and the lock");
    }

    #[tokio::test]
    async fn a_damaged_file_is_reported_once_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let entry = Arc::new(entry("/", b"text"));
        let cache = open(folder.path());
        cache.put(Arc::clone(&entry)).await.unwrap();
        let path = only_file(folder.path());
        let mut bytes = fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&path, bytes).unwrap();
        assert_eq!(cache.get(entry.key()).await.unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(cache.get(entry.key()).await.unwrap(), None);
        assert!(!path.exists());
        assert_eq!(size(&cache), (0, 0));
    }

    #[tokio::test]
    async fn a_file_under_the_name_of_another_is_not_served() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (Arc::new(entry("/1", b"one")), Arc::new(entry("/2", b"other")));
        let cache = open(folder.path());
        cache.put(Arc::clone(&one)).await.unwrap();
        cache.put(Arc::clone(&other)).await.unwrap();
        let at = |entry: &CacheEntry| folder.path().join(LAYOUT).join(entry.key().name());
        fs::copy(at(&one), at(&other)).unwrap();
        assert_eq!(cache.get(other.key()).await.unwrap(), None);
        assert_eq!(cache.get(one.key()).await.unwrap(), Some(one));
    }

    #[tokio::test]
    async fn the_least_recently_used_entry_is_evicted_first() {
        let folder = tempfile::tempdir().unwrap();
        let cache = DiskCache::open(folder.path(), 5 * BLOCK_BYTES).unwrap();
        let entries: Vec<_> = (0..7).map(|page| Arc::new(entry(&format!("/{page}"), b"text"))).collect();
        for entry in &entries[..5] {
            cache.put(Arc::clone(entry)).await.unwrap();
        }
        cache.get(entries[0].key()).await.unwrap().unwrap();
        for entry in &entries[5..] {
            cache.put(Arc::clone(entry)).await.unwrap();
        }
        let mut kept = Vec::new();
        for (page, entry) in entries.iter().enumerate() {
            if cache.get(entry.key()).await.unwrap().is_some() {
                kept.push(page);
            }
        }
        assert_eq!(kept, [0, 3, 4, 5, 6]);
        assert_eq!(size(&cache), (5 * BLOCK_BYTES, 5));
        cache.put(Arc::new(entry("/large", &[b'x'; 100_000]))).await.unwrap();
        assert_eq!(size(&cache), (5 * BLOCK_BYTES, 5), "an entry that cannot fit evicts nothing");
    }

    #[test]
    fn a_folder_belongs_to_one_cache() {
        let folder = tempfile::tempdir().unwrap();
        let cache = open(folder.path());
        let error = DiskCache::open(folder.path(), 1).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ResourceBusy);
        drop(cache);
        open(folder.path());
    }
}
