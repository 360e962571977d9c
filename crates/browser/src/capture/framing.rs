//! What a picture shows, and at which size.

use crate::protocol::capture::{Clip, LayoutMetrics};

/// Most device pixels of a picture. Chromium needs about 21 bytes of memory for each while it takes one.
const MAX_PIXELS: f64 = 25_000_000.0;

/// Most device pixels of a side. Many programs show no larger pictures; Chromium makes no JPEG above 65,500.
const MAX_SIDE: f64 = 32_000.0;

/// Whether a picture of the window has too many device pixels.
pub(super) fn is_too_large(pixels: u64) -> bool {
    pixels as f64 > MAX_PIXELS
}

/// A part of a document, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Area {
    /// The whole height of a document, as wide as its window.
    pub(super) fn page(metrics: &LayoutMetrics) -> Self {
        let width = metrics.css_layout_viewport.client_width.max(1.0);
        Self { x: 0.0, y: 0.0, width, height: metrics.css_content_size.height.ceil().max(1.0) }
    }

    /// What the window shows.
    pub(super) fn window(metrics: &LayoutMetrics) -> Self {
        let window = &metrics.css_layout_viewport;
        let (width, height) = (window.client_width.max(1.0), window.client_height.max(1.0));
        Self { x: window.page_x, y: window.page_y, width, height }
    }
}

/// A picture within the limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Framing {
    pub(super) clip: Clip,
    /// The height of the area, if the picture shows only the upper part of it.
    pub(super) cut_from: Option<f64>,
    /// The device pixels of the picture.
    pub(super) pixels: f64,
}

impl Framing {
    /// Frames `area`. `zoom` is that of the page in its window, and `scale_factor` the number of device
    /// pixels per pixel of the window. A picture that is too large loses the additional device pixels first,
    /// then the lower part of the area.
    pub(super) fn of(area: Area, zoom: f64, scale_factor: u32) -> Self {
        let factor = f64::from(scale_factor.max(1));
        let zoom = valid(zoom);
        let Area { x, y, width, height } = area;
        let full = zoom * factor;
        let density = if height <= max_height(width, full) { full } else { zoom };
        let most = max_height(width, density);
        let shown = if height <= most { height } else { most };
        Self {
            clip: Clip { x, y, width, height: shown, scale: density / factor },
            cut_from: (shown < height).then_some(height),
            pixels: width * shown * density * density,
        }
    }

    /// The greatest height of a picture as wide as `area`, in CSS pixels.
    pub(super) fn max_shown(area: Area, zoom: f64) -> f64 {
        max_height(area.width, valid(zoom))
    }

    /// What the picture does not show.
    pub(super) fn warning(&self) -> Option<String> {
        let whole = self.cut_from?;
        let shown = self.clip.height;
        Some(format!(
            "The screenshot shows the upper {shown} of {whole} CSS pixels, because it may have at most \
             {MAX_PIXELS} pixels and a height of {MAX_SIDE}."
        ))
    }
}

fn valid(zoom: f64) -> f64 {
    if zoom.is_finite() && zoom > 0.0 { zoom } else { 1.0 }
}

/// The greatest height of a picture of this width, in CSS pixels, at `density` device pixels per CSS pixel.
fn max_height(width: f64, density: f64) -> f64 {
    (MAX_PIXELS / (width * density * density)).min(MAX_SIDE / density).floor().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_keep_the_limits_and_lose_no_more_than_they_must() {
        for width in [1.0, 320.0, 390.0, 412.0, 980.0, 1_280.0, 1_920.0, 8_192.0] {
            for height in [1.0, 800.0, 2_430.0, 7_629.0, 19_531.0, 19_532.0, 32_000.0, 64_001.0, 1e9] {
                for zoom in [0.25, 0.398, 1.0] {
                    for factor in [1, 2, 3] {
                        let area = Area { x: 0.0, y: 7.0, width, height };
                        let framing = Framing::of(area, zoom, factor);
                        let case = format!("{area:?} {zoom} {factor} {framing:?}");
                        let Clip { x, y, width: shown_width, height: shown, scale } = framing.clip;
                        let density = scale * f64::from(factor);
                        assert_eq!((x, y, shown_width), (0.0, 7.0, width), "{case}");
                        assert!(framing.pixels <= MAX_PIXELS && shown * density <= MAX_SIDE, "{case}");
                        assert!((framing.pixels - width * shown * density * density).abs() < 0.01, "{case}");
                        let full = zoom * f64::from(factor);
                        let fits_at = |density: f64, height: f64| {
                            width * height * density * density <= MAX_PIXELS && height * density <= MAX_SIDE
                        };
                        assert!(shown <= Framing::max_shown(area, zoom), "{case}");
                        assert_eq!(framing.warning().is_some(), framing.cut_from.is_some(), "{case}");
                        let is_full = (density - full).abs() < 1e-9;
                        assert!(is_full || (density - zoom).abs() < 1e-9, "{case}");
                        assert_eq!(is_full, factor == 1 || fits_at(full, height), "{case}");
                        match framing.cut_from {
                            None => assert_eq!(shown, height, "{case}"),
                            Some(whole) => {
                                assert_eq!(whole, height, "{case}");
                                assert!(shown < height && !fits_at(density, shown + 1.0), "{case}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn invalid_zooms_count_as_none() {
        let area = Area { x: 0.0, y: 0.0, width: 412.0, height: 915.0 };
        for zoom in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Framing::of(area, zoom, 2), Framing::of(area, 1.0, 2));
        }
    }
}
