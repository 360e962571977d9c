//! Features of segments that are the name of the site.

use super::{Features, SiteFound, flag};
use crate::segment::site_names::SitePlace;

/// Whether it is a name of the site, and what says so.
pub(super) fn write(found: Option<&SiteFound>, to: &mut Features) {
    let Some(found) = found else { return };
    let is_from = |place: SitePlace| flag(found.is_from(place));
    to.site_weight = found.weight;
    to.site_lead = found.lead;
    to.site_title = is_from(SitePlace::Title);
    to.site_home = is_from(SitePlace::StartLink);
    to.site_logo = is_from(SitePlace::Logo);
    to.site_copyright = is_from(SitePlace::Copyright);
    to.site_feed = is_from(SitePlace::Feed);
    to.site_host = is_from(SitePlace::Host);
    to.site_host_share = found.host_share;
}
