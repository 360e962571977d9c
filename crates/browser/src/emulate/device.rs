//! Screen, window and pixel density of the emulated desktop or phone.

use gleaner_fetch::RenderRequest;
use gleaner_types::plan::Viewport;

use crate::protocol::emulation::{ScreenOrientation, SetDeviceMetricsOverride};

/// The window of a desktop browser, and the least size of its screen.
const DESKTOP: Viewport = Viewport::new(1_280, 800);
const DESKTOP_SCREEN: Viewport = Viewport::new(1_920, 1_080);

/// The screen of a common Android phone.
const PHONE: Viewport = Viewport::new(412, 915);

/// Device pixels per CSS pixel of the phone. Phones have up to 3, which makes pictures twice as large as 2
/// and shows no more.
const PHONE_SCALE_FACTOR: u32 = 2;

/// The window and screen that a page sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Device {
    /// The window, in CSS pixels.
    pub(crate) viewport: Viewport,
    /// Device pixels per CSS pixel.
    pub(crate) scale_factor: u32,
    is_mobile: bool,
}

impl Device {
    /// The device that a request asks for.
    pub(crate) fn of(request: &RenderRequest) -> Self {
        Self::new(request.mobile, request.viewport)
    }

    fn new(is_mobile: bool, viewport: Option<Viewport>) -> Self {
        let (size, scale_factor) = if is_mobile { (PHONE, PHONE_SCALE_FACTOR) } else { (DESKTOP, 1) };
        Self { viewport: viewport.unwrap_or(size), scale_factor, is_mobile }
    }

    /// The same device with another window.
    pub(crate) fn with_viewport(self, viewport: Viewport) -> Self {
        Self { viewport, ..self }
    }

    /// The device pixels of the window.
    pub(crate) fn pixels(self) -> u64 {
        let Viewport { width, height, .. } = self.viewport;
        u64::from(width) * u64::from(height) * u64::from(self.scale_factor * self.scale_factor)
    }

    /// The command that sets the window and the screen.
    pub(crate) fn metrics(self) -> SetDeviceMetricsOverride {
        let Viewport { width, height, .. } = self.viewport;
        // The window of a phone fills the screen.
        let screen = if self.is_mobile {
            self.viewport
        } else {
            let Viewport { width: least_width, height: least_height, .. } = DESKTOP_SCREEN;
            Viewport::new(width.max(least_width), height.max(least_height))
        };
        let is_portrait = screen.height >= screen.width;
        let orientation = match (self.is_mobile, is_portrait) {
            (true, true) => ScreenOrientation { kind: "portraitPrimary", angle: 0 },
            (true, false) => ScreenOrientation { kind: "landscapePrimary", angle: 90 },
            (false, true) => ScreenOrientation { kind: "portraitPrimary", angle: 90 },
            (false, false) => ScreenOrientation { kind: "landscapePrimary", angle: 0 },
        };
        SetDeviceMetricsOverride {
            width,
            height,
            device_scale_factor: self.scale_factor,
            mobile: self.is_mobile,
            screen_width: screen.width,
            screen_height: screen.height,
            screen_orientation: orientation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_is_never_smaller_than_its_window() {
        for is_mobile in [false, true] {
            for (width, height) in
                [(1, 1), (360, 800), (800, 360), (1_920, 1_080), (8_192, 100), (100, 8_192)]
            {
                let viewport = Viewport::new(width, height);
                let device = Device::new(is_mobile, Some(viewport));
                let metrics = device.metrics();
                assert_eq!((metrics.width, metrics.height), (width, height));
                assert!(metrics.screen_width >= width && metrics.screen_height >= height, "{metrics:?}");
                let is_portrait = metrics.screen_height >= metrics.screen_width;
                assert_eq!(metrics.screen_orientation.kind == "portraitPrimary", is_portrait, "{metrics:?}");
                let factor = if is_mobile { 4 } else { 1 };
                assert_eq!(device.pixels(), u64::from(width) * u64::from(height) * factor);
            }
        }
    }

    #[test]
    fn without_a_viewport_the_device_has_its_usual_one() {
        let desktop = Device::new(false, None).metrics();
        assert_eq!((desktop.width, desktop.height, desktop.mobile), (1_280, 800, false));
        let phone = Device::new(true, None).metrics();
        assert_eq!((phone.width, phone.screen_width, phone.mobile), (412, 412, true));
        assert_eq!(phone.screen_orientation.kind, "portraitPrimary");
    }
}
