//! The rows of the hosts whose pages are queued.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use tokio_postgres::types::Type;

use super::caches::{Additions, Caches};
use crate::database::Sql;
use crate::failure::Failure;
use crate::transaction::Transaction;

/// Hosts that this process holds, and does not give back before the operation is over.
pub(crate) type HeldHosts = HashSet<i32>;

/// Finds or adds hosts for which blocks are about to be inserted, and marks that they have work. Those that
/// the process does not hold are locked, so that a holder that gives a host back sees the blocks.
pub(super) async fn prepare(
    t: &Transaction<'_>,
    sql: &Sql,
    caches: &Caches,
    held: &HeldHosts,
    names: BTreeSet<&str>,
    additions: &mut Additions,
) -> Result<BTreeMap<String, i32>, Failure> {
    let mut ids: BTreeMap<String, i32> = BTreeMap::new();
    let mut unknown = Vec::new();
    for (name, id) in names.iter().zip(caches.host_ids(names.iter().copied())) {
        match id {
            Some(id) => {
                ids.insert((*name).to_owned(), id);
            }
            None => unknown.push(*name),
        }
    }
    let mut inserted = HashSet::new();
    find_or_insert(t, sql, &unknown, &mut ids, &mut inserted).await?;
    let mut gone = lock(t, sql, held, &inserted, &ids).await?;
    if !gone.is_empty() {
        gone.iter().for_each(|name| caches.forget_host(name));
        ids.retain(|name, _| !gone.contains(name));
        let names: Vec<&str> = gone.iter().map(String::as_str).collect();
        find_or_insert(t, sql, &names, &mut ids, &mut inserted).await?;
        let again = ids.iter().filter(|(name, _)| gone.contains(*name));
        let again = again.map(|(name, id)| (name.clone(), *id)).collect();
        gone = lock(t, sql, held, &inserted, &again).await?;
    }
    if !gone.is_empty() || names.iter().any(|name| !ids.contains_key(*name)) {
        return Err(Failure::damaged("a host"));
    }
    let known: HashSet<&str> = unknown.iter().copied().collect();
    let new = ids.iter().filter(|(name, _)| known.contains(name.as_str()));
    additions.hosts.extend(new.map(|(name, id)| (name.clone(), *id)));
    Ok(ids)
}

/// Adds the ids of these hosts, which are sorted, to `ids`.
async fn find_or_insert(
    t: &Transaction<'_>,
    sql: &Sql,
    names: &[&str],
    ids: &mut BTreeMap<String, i32>,
    inserted: &mut HashSet<i32>,
) -> Result<(), Failure> {
    if names.is_empty() {
        return Ok(());
    }
    // A conflict would use up a number of the sequence.
    let text = sql.text(
        "WITH new AS ( \
             INSERT INTO {schema}.host (name, has_work) \
             SELECT n.name, true FROM unnest($1::text[]) AS n (name) \
             WHERE NOT EXISTS (SELECT 1 FROM {schema}.host h WHERE h.name = n.name) \
             ORDER BY n.name COLLATE \"C\" \
             ON CONFLICT (name) DO NOTHING RETURNING id, name \
         ) \
         SELECT id, name, true FROM new \
         UNION ALL SELECT h.id, h.name, false FROM {schema}.host h WHERE h.name = ANY($1)",
    );
    for row in t.query_typed(&text, &[(&names, Type::TEXT_ARRAY)]).await? {
        let id = row.try_get(0)?;
        ids.insert(row.try_get(1)?, id);
        if row.try_get(2)? {
            inserted.insert(id);
        }
    }
    // Another process has inserted them since the statement began.
    let missing: Vec<&str> = names.iter().copied().filter(|name| !ids.contains_key(*name)).collect();
    if !missing.is_empty() {
        let text = sql.text("SELECT id, name FROM {schema}.host WHERE name = ANY($1::text[])");
        for row in t.query_typed(&text, &[(&missing, Type::TEXT_ARRAY)]).await? {
            ids.insert(row.try_get(1)?, row.try_get(0)?);
        }
    }
    Ok(())
}

/// Locks those of the hosts that neither the process holds nor the transaction has inserted. Returns the
/// names of those that do not exist.
async fn lock(
    t: &Transaction<'_>,
    sql: &Sql,
    held: &HeldHosts,
    inserted: &HashSet<i32>,
    ids: &BTreeMap<String, i32>,
) -> Result<Vec<String>, Failure> {
    let free = |id: &i32| !held.contains(id) && !inserted.contains(id);
    let mut wanted: Vec<i32> = ids.values().copied().filter(free).collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    wanted.sort_unstable();
    let text = sql
        .text("SELECT id, has_work FROM {schema}.host WHERE id = ANY($1::int[]) ORDER BY id FOR KEY SHARE");
    let (mut found, mut idle) = (HashSet::new(), Vec::new());
    for row in t.query_typed(&text, &[(&wanted, Type::INT4_ARRAY)]).await? {
        let id: i32 = row.try_get(0)?;
        found.insert(id);
        if !row.try_get::<_, bool>(1)? {
            idle.push(id);
        }
    }
    if !idle.is_empty() {
        let text = sql.text(
            "UPDATE {schema}.host h SET has_work = true FROM ( \
                 SELECT id FROM {schema}.host WHERE id = ANY($1::int[]) AND NOT has_work \
                 ORDER BY id FOR NO KEY UPDATE \
             ) idle WHERE h.id = idle.id",
        );
        t.execute_typed(&text, &[(&idle, Type::INT4_ARRAY)]).await?;
    }
    let is_gone = |(_, id): &(&String, &i32)| free(id) && !found.contains(*id);
    Ok(ids.iter().filter(is_gone).map(|(name, _)| name.clone()).collect())
}
