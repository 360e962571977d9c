//! Lists without pages: the pages of a job without a document, and the links of a map. They may have a
//! hundred megabytes, so their JSON is made piece by piece, as the client reads it. A short list is one piece,
//! whose length is known.

use std::sync::Arc;
use std::vec;

use futures_util::StreamExt as _;
use gleaner::response::{JobErrors, MapLink};
use gleaner::service::{
    FailurePosition, JobService, Mapped, PieceWriter, RESPONSE_PIECE, ResponseShare, TeamId,
};
use gleaner::{JobId, JobKind};
use serde::Serialize;
use url::Url;

use crate::failure::Failure;
use crate::operation::Version;
use crate::response_body::ResponseBody;
use crate::responses::ListedErrors;

/// The share of a list that is made piece by piece: what a server takes of it ahead of its client. hyper takes
/// 400 KiB and one piece.
const STREAM_MEMORY: usize = 512 << 10;

/// The pages of a job without a document: the JSON of [`ListedErrors`].
pub(crate) async fn errors(
    service: &Arc<JobService>,
    team: &TeamId,
    kind: JobKind,
    id: JobId,
) -> Result<ResponseBody, Failure> {
    let share = service.response_memory().reserve(team, STREAM_MEMORY).await?;
    let empty = serde_json::to_string(&ListedErrors::from(JobErrors::default()));
    let empty = empty.map_err(|error| Failure::internal(&error))?;
    let mut envelope = empty.splitn(3, "[]").map(str::to_owned);
    let mut next = || envelope.next().unwrap_or_default();
    let (start, middle, end) = (format!("{}[", next()), format!("]{}[", next()), format!("]{}", next()));
    let mut list = ErrorList {
        service: Arc::clone(service),
        team: team.clone(),
        kind,
        id,
        from: FailurePosition::default(),
        separator: Separator::default(),
        middle: Some(middle),
        end,
        is_complete: false,
    };
    let mut start = start.into_bytes();
    while !list.is_complete && start.len() < RESPONSE_PIECE {
        list.write_part(&mut start).await?;
    }
    if list.is_complete {
        return Ok(whole(&start, share));
    }
    let share = Arc::new(share);
    let start = futures_util::stream::iter([Ok(share.hold(start))]);
    let rest = futures_util::stream::try_unfold((list, share), |(mut list, share)| async move {
        if list.is_complete {
            return Ok::<_, Failure>(None);
        }
        let mut json = Vec::new();
        list.write_part(&mut json).await?;
        Ok(Some((share.hold(json), (list, share))))
    });
    Ok(ResponseBody::stream(start.chain(rest)))
}

/// The links of a map: the JSON of a `MapResponse` or `MapResponseV1`.
pub(crate) fn links(
    mapped: Mapped,
    warning: Option<String>,
    version: Version,
) -> Result<ResponseBody, Failure> {
    let Mapped { links, mut share, .. } = mapped;
    let mut list = LinkList {
        links: links.into_iter(),
        version,
        warning,
        separator: Separator::default(),
        is_complete: false,
    };
    let mut start = br#"{"success":true,"links":["#.to_vec();
    list.write_part(&mut start)?;
    if list.is_complete {
        return Ok(whole(&start, share));
    }
    let rest = std::iter::from_fn(move || {
        let mut json = Vec::new();
        (!list.is_complete).then(|| list.write_part(&mut json).map(|()| json))
    });
    let pieces = std::iter::once(Ok(start)).chain(rest);
    let pieces = pieces.map(move |piece| piece.map(|json| share.attach(json)));
    Ok(ResponseBody::stream(futures_util::stream::iter(pieces)))
}

/// A list that is complete.
fn whole(text: &[u8], share: ResponseShare) -> ResponseBody {
    let mut json = PieceWriter::default();
    json.push(text);
    ResponseBody::json(json.finish(share))
}

/// The comma between the entries of a list.
#[derive(Debug, Default)]
struct Separator {
    has_entries: bool,
}

impl Separator {
    /// Appends an entry.
    fn write(&mut self, json: &mut Vec<u8>, entry: &(impl Serialize + ?Sized)) -> Result<(), Failure> {
        if std::mem::replace(&mut self.has_entries, true) {
            json.push(b',');
        }
        serde_json::to_writer(json, entry).map_err(|error| Failure::internal(&error))
    }
}

struct ErrorList {
    service: Arc<JobService>,
    team: TeamId,
    kind: JobKind,
    id: JobId,
    from: FailurePosition,
    separator: Separator,
    /// The JSON before the list of pages that robots.txt forbids; `None` once it has begun.
    middle: Option<String>,
    /// The JSON after it.
    end: String,
    is_complete: bool,
}

impl ErrorList {
    /// Appends the next entries, of about the size of a piece, or the end.
    async fn write_part(&mut self, json: &mut Vec<u8>) -> Result<(), Failure> {
        let (kind, id, from) = (self.kind, self.id, self.from);
        let part = self.service.errors_from(&self.team, kind, id, from, RESPONSE_PIECE).await?;
        for error in &part.errors {
            self.separator.write(json, error)?;
        }
        self.from.failures = self.from.failures.saturating_add(part.errors.len());
        let is_end = part.errors.is_empty() && part.robots_blocked.is_empty();
        if (is_end || !part.robots_blocked.is_empty())
            && let Some(middle) = self.middle.take()
        {
            json.extend_from_slice(middle.as_bytes());
            self.separator = Separator::default();
            // Pages that fail from now on come too late for the first list.
            self.from.failures = usize::MAX;
        }
        for url in &part.robots_blocked {
            self.separator.write(json, url)?;
        }
        self.from.robots_blocked = self.from.robots_blocked.saturating_add(part.robots_blocked.len());
        if is_end {
            json.extend_from_slice(self.end.as_bytes());
            self.is_complete = true;
        }
        Ok(())
    }
}

struct LinkList {
    links: vec::IntoIter<Url>,
    version: Version,
    warning: Option<String>,
    separator: Separator,
    is_complete: bool,
}

impl LinkList {
    /// Appends the next links, of about the size of a piece, and the end after the last one.
    fn write_part(&mut self, json: &mut Vec<u8>) -> Result<(), Failure> {
        while json.len() < RESPONSE_PIECE {
            let Some(link) = self.links.next() else {
                json.push(b']');
                if let Some(warning) = &self.warning {
                    json.extend_from_slice(br#","warning":"#);
                    serde_json::to_writer(&mut *json, warning).map_err(|error| Failure::internal(&error))?;
                }
                json.push(b'}');
                self.is_complete = true;
                return Ok(());
            };
            match self.version {
                Version::V1 => self.separator.write(json, link.as_str())?,
                Version::V2 => self.separator.write(json, &MapLink::new(link))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use gleaner::Engine;
    use gleaner::response::{MapResponse, MapResponseV1};
    use http_body::Body as _;
    use http_body_util::BodyExt as _;

    use super::*;

    /// The body of a map of this many links.
    async fn map(
        service: &JobService,
        links: usize,
        warning: Option<&str>,
        version: Version,
    ) -> ResponseBody {
        let share = service.response_memory().reserve(&TeamId::new("a"), 1 << 20).await.unwrap();
        let links = (0..links).map(|n| format!("https://a.example/{n}?q=%22").parse().unwrap()).collect();
        super::links(Mapped::new(links, share), warning.map(str::to_owned), version).unwrap()
    }

    #[tokio::test]
    async fn the_links_of_a_map_are_those_of_its_response() {
        let service = Arc::clone(Engine::builder().build().unwrap().service());
        for (links, warning) in [(0, None), (1, Some("a \"b\"")), (5_000, None), (5_000, Some("late"))] {
            let mut response = MapResponse::new(
                (0..links).map(|n| MapLink::new(format!("https://a.example/{n}?q=%22"))).collect(),
            );
            response.warning = warning.map(str::to_owned);
            let v1 = serde_json::to_vec(&MapResponseV1::from(response.clone())).unwrap();
            let v2 = serde_json::to_vec(&response).unwrap();
            for (version, want) in [(Version::V1, v1), (Version::V2, v2)] {
                let body = map(&service, links, warning, version).await;
                assert_eq!(body.size_hint().exact().is_some(), want.len() <= RESPONSE_PIECE);
                let sent = body.collect().await.unwrap().to_bytes();
                assert!(sent == want, "{links} links, {version:?}");
            }
        }
        assert_eq!(service.response_memory().used(), 0);
    }

    #[tokio::test]
    async fn an_unread_map_has_no_json() {
        let service = Arc::clone(Engine::builder().build().unwrap().service());
        let body = map(&service, 5_000, None, Version::V2).await;
        assert_eq!(service.response_memory().used(), 1 << 20, "the links, and nothing else");
        drop(body);
        assert_eq!(service.response_memory().used(), 0);
    }
}
