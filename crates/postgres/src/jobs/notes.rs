//! The notes of running jobs, merged by kind and key.

use std::collections::BTreeMap;

use bytes::Bytes;
use gleaner_store::{MAX_NOTE_BYTES, MAX_NOTES_PER_JOB, Note, NoteKind, NoteValue};
use tokio_postgres::types::{ToSql, Type};

use crate::database::Sql;
use crate::failure::Failure;
use crate::transaction::Transaction;
use crate::units::count;

/// The notes of a job. Only the changed ones are known.
#[derive(Debug, Default)]
struct Changes {
    /// Number and size of all notes.
    notes: u64,
    bytes: u64,
    known: BTreeMap<(NoteKind, u64), Known>,
}

/// A note: what is stored, and what it becomes.
#[derive(Debug, Clone, PartialEq)]
enum Known {
    /// Stored bytes of this size.
    Sized(u64),
    Bytes(Bytes),
    Number(u64),
    /// It was stored, and is removed.
    Gone,
}

impl Known {
    fn size(&self) -> u64 {
        match self {
            Self::Sized(size) => *size,
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Number(_) | Self::Gone => 0,
        }
    }
}

impl Changes {
    /// Applies a change. False if it is dropped, because there are too many notes.
    fn apply(&mut self, note: &Note) -> bool {
        let id = (note.kind, note.key);
        let old = self.known.get(&id).filter(|old| **old != Known::Gone);
        let value = match (&note.value, old) {
            (NoteValue::Set(bytes), _) => Known::Bytes(bytes.clone()),
            (NoteValue::Add(number), Some(Known::Number(sum))) => Known::Number(sum.saturating_add(*number)),
            (NoteValue::Add(number), _) => Known::Number(*number),
            (NoteValue::Remove, _) => Known::Gone,
        };
        let is_new = old.is_none();
        let bytes = self.bytes.saturating_sub(old.map_or(0, Known::size)).saturating_add(value.size());
        match (is_new, value == Known::Gone) {
            (true, true) => return true,
            (false, true) => self.notes = self.notes.saturating_sub(1),
            (_, false) if bytes > MAX_NOTE_BYTES as u64 => return false,
            (true, false) if self.notes >= MAX_NOTES_PER_JOB as u64 => return false,
            (true, false) => self.notes += 1,
            (false, false) => {}
        }
        self.bytes = bytes;
        self.known.insert(id, value);
        true
    }
}

/// Changes notes of a job whose row is locked. They are hints: one that does not fit is dropped.
pub(crate) async fn apply_notes(
    t: &Transaction<'_>,
    sql: &Sql,
    job: i32,
    notes: &[Note],
) -> Result<(), Failure> {
    apply_notes_many(t, sql, &[(job, notes)]).await
}

/// As [`apply_notes`], for several jobs. Each may be named several times.
pub(crate) async fn apply_notes_many(
    t: &Transaction<'_>,
    sql: &Sql,
    notes: &[(i32, &[Note])],
) -> Result<(), Failure> {
    if notes.iter().all(|(_, notes)| notes.is_empty()) {
        return Ok(());
    }
    let mut jobs = load(t, sql, notes).await?;
    let before: Vec<(i32, BTreeMap<_, Known>)> =
        jobs.iter().map(|(job, changes)| (*job, changes.known.clone())).collect();
    for (job, notes) in notes {
        let changes = jobs.entry(*job).or_default();
        for note in *notes {
            if !changes.apply(note) {
                tracing::debug!(kind = ?note.kind, "a note of a job does not fit and is dropped");
            }
        }
    }
    for (job, before) in before {
        if let Some(changes) = jobs.get_mut(&job) {
            changes.known.retain(|id, value| before.get(id) != Some(value));
        }
    }
    write(t, sql, &jobs).await
}

/// Reads number and size of the notes, and the stored values of those that change.
async fn load(
    t: &Transaction<'_>,
    sql: &Sql,
    notes: &[(i32, &[Note])],
) -> Result<BTreeMap<i32, Changes>, Failure> {
    let changed = notes.iter().flat_map(|(job, notes)| notes.iter().map(move |note| (*job, note)));
    let mut ids: Vec<(i32, i16, i64)> =
        changed.map(|(job, note)| (job, raw(note.kind), note.key.cast_signed())).collect();
    ids.sort_unstable();
    ids.dedup();
    let jobs: Vec<i32> = ids.iter().map(|id| id.0).collect();
    let kinds: Vec<i16> = ids.iter().map(|id| id.1).collect();
    let keys: Vec<i64> = ids.iter().map(|id| id.2).collect();
    let text = "SELECT job, CAST(NULL AS smallint), CAST(NULL AS bigint), CAST(NULL AS bigint), \
                count(*)::bigint, coalesce(sum(octet_length(bytes)), 0)::bigint \
                FROM {schema}.note WHERE job = ANY($1) GROUP BY job \
                UNION ALL SELECT n.job, n.kind, n.key, n.number, 0::bigint, \
                coalesce(octet_length(n.bytes), 0)::bigint \
                FROM unnest($1::int[], $2::smallint[], $3::bigint[]) AS c (job, kind, key) \
                JOIN {schema}.note AS n ON n.job = c.job AND n.kind = c.kind AND n.key = c.key";
    let parameters: [(&(dyn ToSql + Sync), Type); 3] =
        [(&jobs, Type::INT4_ARRAY), (&kinds, Type::INT2_ARRAY), (&keys, Type::INT8_ARRAY)];
    let mut found: BTreeMap<i32, Changes> = BTreeMap::new();
    for row in t.query_typed(&sql.text(text), &parameters).await? {
        let changes = found.entry(row.try_get(0)?).or_default();
        let size = count(row.try_get(5)?);
        let (Some(code), Some(key)) = (row.try_get::<_, Option<i16>>(1)?, row.try_get::<_, Option<i64>>(2)?)
        else {
            (changes.notes, changes.bytes) = (count(row.try_get(4)?), size);
            continue;
        };
        let value = match row.try_get::<_, Option<i64>>(3)? {
            Some(number) => Known::Number(number.cast_unsigned()),
            None => Known::Sized(size),
        };
        changes.known.insert((kind(code)?, key.cast_unsigned()), value);
    }
    Ok(found)
}

async fn write(t: &Transaction<'_>, sql: &Sql, jobs: &BTreeMap<i32, Changes>) -> Result<(), Failure> {
    let (mut gone, mut set) = (Ids::default(), Ids::default());
    let (mut numbers, mut bytes): (Vec<Option<i64>>, Vec<Option<&[u8]>>) = (Vec::new(), Vec::new());
    for (job, changes) in jobs {
        for (id, value) in &changes.known {
            let value = match value {
                Known::Sized(_) => continue,
                Known::Gone => {
                    gone.push(*job, *id);
                    continue;
                }
                Known::Bytes(bytes) => (None, Some(&**bytes)),
                Known::Number(number) => (Some(number.cast_signed()), None),
            };
            set.push(*job, *id);
            numbers.push(value.0);
            bytes.push(value.1);
        }
    }
    if !gone.jobs.is_empty() {
        let text = "DELETE FROM {schema}.note AS n \
                    USING unnest($1::int[], $2::smallint[], $3::bigint[]) AS c (job, kind, key) \
                    WHERE n.job = c.job AND n.kind = c.kind AND n.key = c.key";
        let parameters: [(&(dyn ToSql + Sync), Type); 3] =
            [(&gone.jobs, Type::INT4_ARRAY), (&gone.kinds, Type::INT2_ARRAY), (&gone.keys, Type::INT8_ARRAY)];
        t.execute_typed(&sql.text(text), &parameters).await?;
    }
    if !set.jobs.is_empty() {
        let text = "INSERT INTO {schema}.note (job, kind, key, number, bytes) \
                    SELECT * FROM unnest($1::int[], $2::smallint[], $3::bigint[], $4::bigint[], $5::bytea[]) \
                    ON CONFLICT (job, kind, key) \
                    DO UPDATE SET number = EXCLUDED.number, bytes = EXCLUDED.bytes";
        let parameters: [(&(dyn ToSql + Sync), Type); 5] = [
            (&set.jobs, Type::INT4_ARRAY),
            (&set.kinds, Type::INT2_ARRAY),
            (&set.keys, Type::INT8_ARRAY),
            (&numbers, Type::INT8_ARRAY),
            (&bytes, Type::BYTEA_ARRAY),
        ];
        t.execute_typed(&sql.text(text), &parameters).await?;
    }
    Ok(())
}

/// Identities of notes as columns.
#[derive(Debug, Default)]
struct Ids {
    jobs: Vec<i32>,
    kinds: Vec<i16>,
    keys: Vec<i64>,
}

impl Ids {
    fn push(&mut self, job: i32, (kind, key): (NoteKind, u64)) {
        self.jobs.push(job);
        self.kinds.push(raw(kind));
        self.keys.push(key.cast_signed());
    }
}

fn raw(kind: NoteKind) -> i16 {
    i16::from(kind.to_raw())
}

fn kind(code: i16) -> Result<NoteKind, Failure> {
    let kind = u8::try_from(code).ok().and_then(NoteKind::from_raw);
    kind.ok_or_else(|| Failure::damaged("the kind of a note"))
}

/// The notes of a job in the order of kind and key.
pub(super) async fn list(t: &Transaction<'_>, sql: &Sql, job: i32) -> Result<Vec<Note>, Failure> {
    let text = sql.text("SELECT kind, key, number, bytes FROM {schema}.note WHERE job = $1");
    let mut notes = Vec::new();
    for row in t.query_typed(&text, &[(&job, Type::INT4)]).await? {
        let value = match row.try_get::<_, Option<i64>>(2)? {
            Some(number) => NoteValue::Add(number.cast_unsigned()),
            None => NoteValue::Set(Bytes::from(row.try_get::<_, Option<Vec<u8>>>(3)?.unwrap_or_default())),
        };
        let key = row.try_get::<_, i64>(1)?.cast_unsigned();
        notes.push(Note { kind: kind(row.try_get(0)?)?, key, value });
    }
    notes.sort_unstable_by_key(|note| (note.kind, note.key));
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: NoteKind = NoteKind::Sitemap;

    fn set(key: u64, size: usize) -> Note {
        Note { kind: KIND, key, value: NoteValue::Set(vec![0_u8; size].into()) }
    }

    fn add(key: u64, number: u64) -> Note {
        Note { kind: KIND, key, value: NoteValue::Add(number) }
    }

    #[test]
    fn numbers_are_added_to_what_is_stored() {
        let mut changes = Changes { notes: 2, bytes: 5, ..Changes::default() };
        changes.known.extend([((KIND, 1), Known::Number(2)), ((KIND, 2), Known::Sized(5))]);
        assert!(changes.apply(&add(1, 3)) && changes.apply(&add(1, 4)) && changes.apply(&add(2, 7)));
        assert_eq!(changes.known.get(&(KIND, 1)), Some(&Known::Number(9)));
        assert_eq!(changes.known.get(&(KIND, 2)), Some(&Known::Number(7)), "bytes are replaced");
        assert_eq!((changes.notes, changes.bytes), (2, 0));
    }

    #[test]
    fn the_number_and_the_size_of_notes_are_bounded() {
        let mut changes = Changes::default();
        assert!(changes.apply(&set(0, MAX_NOTE_BYTES)));
        assert!(!changes.apply(&set(1, 1)) && !changes.apply(&set(0, MAX_NOTE_BYTES + 1)));
        assert!(changes.apply(&Note { value: NoteValue::Remove, ..set(0, 0) }));
        assert_eq!((changes.notes, changes.bytes), (0, 0));
        let added = (0..).take_while(|key| changes.apply(&set(*key, 1))).count();
        assert_eq!((added, changes.bytes), (MAX_NOTES_PER_JOB, MAX_NOTES_PER_JOB as u64));
        assert!(changes.apply(&set(3, 2)), "a known note can change");
        assert!(changes.apply(&Note { value: NoteValue::Remove, ..set(u64::MAX, 0) }), "it is not there");
        assert_eq!(changes.notes, MAX_NOTES_PER_JOB as u64);
    }
}
