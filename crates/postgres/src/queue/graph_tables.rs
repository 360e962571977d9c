//! The tables of link graphs.

use async_trait::async_trait;
use tokio_postgres::types::Type;

use super::graph::{GraphChanges, NodeSource, Parked, StoredNode};
use crate::database::Sql;
use crate::failure::Failure;
use crate::transaction::Transaction;
use crate::units::{int, number};

/// The stored graphs, in a transaction that has locked the rows of their jobs.
pub(super) struct GraphTables<'t, 'c> {
    pub(super) transaction: &'t Transaction<'c>,
    pub(super) sql: &'t Sql,
}

#[async_trait]
impl NodeSource for GraphTables<'_, '_> {
    async fn load(&mut self, pages: &[(i32, i64)]) -> Result<Vec<StoredNode>, Failure> {
        let (jobs, keys): (Vec<i32>, Vec<i64>) = pages.iter().copied().unzip();
        // The limits make the planner look up each page by its key.
        let text = self.sql.text(
            "SELECT k.job, k.key, p.depth, g.links, g.target, d.depth, d.url, d.external, d.priority \
             FROM unnest($1::int[], $2::bigint[]) AS k (job, key) \
             LEFT JOIN LATERAL (SELECT depth FROM {schema}.page \
                 WHERE job = k.job AND key = k.key LIMIT 1) p ON true \
             LEFT JOIN LATERAL (SELECT links, target FROM {schema}.graph \
                 WHERE job = k.job AND key = k.key LIMIT 1) g ON true \
             LEFT JOIN LATERAL (SELECT depth, url, external, priority FROM {schema}.too_deep \
                 WHERE job = k.job AND key = k.key LIMIT 1) d ON true \
             WHERE p.depth IS NOT NULL OR d.depth IS NOT NULL",
        );
        let rows = self
            .transaction
            .query_typed(&text, &[(&jobs, Type::INT4_ARRAY), (&keys, Type::INT8_ARRAY)])
            .await?;
        let mut nodes = Vec::with_capacity(rows.len());
        for row in rows {
            let (job, key) = (row.try_get(0)?, row.try_get(1)?);
            let links = row.try_get::<_, Option<Vec<i64>>>(3)?.unwrap_or_default();
            let target = row.try_get(4)?;
            let admitted: Option<i32> = row.try_get(2)?;
            let (depth, parked) = match admitted {
                Some(depth) => (depth, None),
                None => {
                    let priority: i16 = row.try_get(8)?;
                    let priority = u8::try_from(priority).map_err(|_| Failure::damaged("a priority"))?;
                    let parked = Parked { url: row.try_get(6)?, external: row.try_get(7)?, priority };
                    (row.try_get(5)?, Some(parked))
                }
            };
            nodes.push(StoredNode { job, key, depth: number(depth), links, target, parked });
        }
        Ok(nodes)
    }
}

/// Writes the changes of graphs, all in one statement.
pub(super) async fn store(t: &Transaction<'_>, sql: &Sql, changes: &GraphChanges) -> Result<(), Failure> {
    if changes.is_empty() {
        return Ok(());
    }
    let GraphChanges { pages, too_deep, unparked, edges } = changes;
    let page_jobs: Vec<i32> = pages.iter().map(|page| page.0).collect();
    let page_keys: Vec<i64> = pages.iter().map(|page| page.1).collect();
    let page_depths: Vec<i32> = pages.iter().map(|page| int(page.2)).collect();
    let deep_jobs: Vec<i32> = too_deep.iter().map(|page| page.0).collect();
    let deep_keys: Vec<i64> = too_deep.iter().map(|page| page.1).collect();
    let deep_depths: Vec<i32> = too_deep.iter().map(|page| int(page.2)).collect();
    let deep_urls: Vec<&str> = too_deep.iter().map(|page| page.3.url.as_str()).collect();
    let deep_external: Vec<bool> = too_deep.iter().map(|page| page.3.external).collect();
    let deep_priorities: Vec<i16> = too_deep.iter().map(|page| i16::from(page.3.priority)).collect();
    let (unparked_jobs, unparked_keys): (Vec<i32>, Vec<i64>) = unparked.iter().copied().unzip();
    let edge_jobs: Vec<i32> = edges.iter().map(|edge| edge.0).collect();
    let edge_keys: Vec<i64> = edges.iter().map(|edge| edge.1).collect();
    let edge_targets: Vec<Option<i64>> = edges.iter().map(|edge| edge.3).collect();
    // An array of arrays would have to be rectangular: all links, and how many each page has.
    let edge_links: Vec<i64> = edges.iter().flat_map(|edge| edge.2.iter().copied()).collect();
    let mut end = 0_usize;
    let mut bounds = |count: usize| {
        let first = end + 1;
        end += count;
        (i32::try_from(first).unwrap_or(i32::MAX), i32::try_from(end).unwrap_or(i32::MAX))
    };
    let (firsts, lasts): (Vec<i32>, Vec<i32>) = edges.iter().map(|edge| bounds(edge.2.len())).unzip();
    let text = sql.text(
        "WITH admitted AS ( \
             INSERT INTO {schema}.page (job, key, depth) \
             SELECT * FROM unnest($1::int[], $2::bigint[], $3::int[]) \
             ON CONFLICT (job, key) DO UPDATE SET depth = EXCLUDED.depth \
         ), too_deep AS ( \
             INSERT INTO {schema}.too_deep (job, key, depth, url, external, priority) \
             SELECT * FROM unnest( \
                 $4::int[], $5::bigint[], $6::int[], $7::text[], $8::bool[], $9::smallint[]) \
             ON CONFLICT (job, key) DO UPDATE SET depth = EXCLUDED.depth \
         ), unparked AS ( \
             DELETE FROM {schema}.too_deep d USING unnest($10::int[], $11::bigint[]) AS k (job, key) \
             WHERE d.job = k.job AND d.key = k.key \
         ) \
         INSERT INTO {schema}.graph (job, key, links, target) \
         SELECT e.job, e.key, ($16::bigint[])[e.first:e.last], e.target \
         FROM unnest($12::int[], $13::bigint[], $14::int[], $15::int[], $17::bigint[]) \
             AS e (job, key, first, last, target) \
         ON CONFLICT (job, key) DO UPDATE SET links = EXCLUDED.links, target = EXCLUDED.target",
    );
    t.execute_typed(
        &text,
        &[
            (&page_jobs, Type::INT4_ARRAY),
            (&page_keys, Type::INT8_ARRAY),
            (&page_depths, Type::INT4_ARRAY),
            (&deep_jobs, Type::INT4_ARRAY),
            (&deep_keys, Type::INT8_ARRAY),
            (&deep_depths, Type::INT4_ARRAY),
            (&deep_urls, Type::TEXT_ARRAY),
            (&deep_external, Type::BOOL_ARRAY),
            (&deep_priorities, Type::INT2_ARRAY),
            (&unparked_jobs, Type::INT4_ARRAY),
            (&unparked_keys, Type::INT8_ARRAY),
            (&edge_jobs, Type::INT4_ARRAY),
            (&edge_keys, Type::INT8_ARRAY),
            (&firsts, Type::INT4_ARRAY),
            (&lasts, Type::INT4_ARRAY),
            (&edge_links, Type::INT8_ARRAY),
            (&edge_targets, Type::INT8_ARRAY),
        ],
    )
    .await?;
    Ok(())
}
