//! Makes a page see the device, browser, language and place that its request asks for.

mod agent;
mod device;
mod place;

use gleaner_fetch::RenderRequest;
use http::HeaderValue;

use self::agent::Identity;
use self::place::Country;
use crate::page::Tab;
use crate::protocol::emulation::{
    SetFocusEmulationEnabled, SetLocaleOverride, SetTimezoneOverride, SetTouchEmulationEnabled,
    SetUserAgentOverride,
};
use crate::wire::{CallError, SessionId};

pub(crate) use self::device::Device;

/// Touch points of a phone.
const TOUCH_POINTS: u8 = 5;

/// Gives a page its window, the focus and its touch screen, before its first navigation. The commands are not
/// awaited: those of one session are carried out in their order.
pub(crate) async fn device(tab: &Tab<'_>, session: &SessionId) -> Result<(), CallError> {
    let (client, on) = (tab.client(), Some(session));
    client.send(on, &Device::of(tab.request).metrics()).await?;
    client.send(on, &SetFocusEmulationEnabled { enabled: true }).await?;
    if tab.request.mobile {
        let touch = SetTouchEmulationEnabled { enabled: true, max_touch_points: TOUCH_POINTS };
        client.send(on, &touch).await?;
    }
    Ok(())
}

/// Gives a page, a frame of another site or a worker its user agent, languages and time zone. What a kind of
/// target does not support, it refuses; a time zone or locale that the browser does not know stays the
/// default.
pub(crate) async fn identify(tab: &Tab<'_>, session: &SessionId) -> Result<(), CallError> {
    let (client, on, request) = (tab.client(), Some(session), tab.request);
    let identity = identity(tab);
    let country = country(request);
    let languages = place::languages(&request.languages, country.as_ref());
    let agent = SetUserAgentOverride {
        user_agent: &identity.user_agent,
        accept_language: languages.join(","),
        platform: identity.platform,
        user_agent_metadata: identity.metadata,
    };
    client.send(on, &agent).await?;
    if let Some(locale) = languages.first() {
        client.send(on, &SetLocaleOverride { locale }).await?;
    }
    if let Some(country) = country {
        client.send(on, &SetTimezoneOverride { timezone_id: country.time_zone }).await?;
    }
    Ok(())
}

/// The `Accept-Language` of the page. The browser sends the same value, except with requests of workers.
pub(crate) fn accept_language(request: &RenderRequest) -> Option<HeaderValue> {
    let languages = place::languages(&request.languages, country(request).as_ref());
    HeaderValue::from_str(&place::accept_language(&languages)).ok()
}

/// The `User-Agent` of the page. The browser sends the same value, except with requests of shared workers.
pub(crate) fn user_agent(tab: &Tab<'_>) -> Option<HeaderValue> {
    HeaderValue::from_str(&identity(tab).user_agent).ok()
}

fn identity(tab: &Tab<'_>) -> Identity {
    let (running, request) = (&tab.context.running, tab.request);
    let given = request.user_agent.as_ref().and_then(|agent| agent.to_str().ok());
    Identity::new(given, &running.user_agent, &running.version, request.mobile)
}

fn country(request: &RenderRequest) -> Option<Country> {
    request.country.as_deref().and_then(Country::find)
}
