//! Alphabetic codes of currencies (ISO 4217).

/// Codes in alphabetic order: the active ones, those of funds, metals and tests, and a few replaced codes
/// that pages still show, such as `HRK`.
const CODES: [&str; 183] = [
    "AED", "AFN", "ALL", "AMD", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT", "BGN", "BHD", "BIF",
    "BMD", "BND", "BOB", "BOV", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF", "CHE", "CHF", "CHW",
    "CLF", "CLP", "CNY", "COP", "COU", "CRC", "CUC", "CUP", "CVE", "CZK", "DJF", "DKK", "DOP", "DZD", "EGP",
    "ERN", "ETB", "EUR", "FJD", "FKP", "GBP", "GEL", "GHS", "GIP", "GMD", "GNF", "GTQ", "GYD", "HKD", "HNL",
    "HRK", "HTG", "HUF", "IDR", "ILS", "INR", "IQD", "IRR", "ISK", "JMD", "JOD", "JPY", "KES", "KGS", "KHR",
    "KMF", "KPW", "KRW", "KWD", "KYD", "KZT", "LAK", "LBP", "LKR", "LRD", "LSL", "LYD", "MAD", "MDL", "MGA",
    "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR", "MWK", "MXN", "MXV", "MYR", "MZN", "NAD", "NGN", "NIO",
    "NOK", "NPR", "NZD", "OMR", "PAB", "PEN", "PGK", "PHP", "PKR", "PLN", "PYG", "QAR", "RON", "RSD", "RUB",
    "RWF", "SAR", "SBD", "SCR", "SDG", "SEK", "SGD", "SHP", "SLE", "SLL", "SOS", "SRD", "SSP", "STN", "SVC",
    "SYP", "SZL", "THB", "TJS", "TMT", "TND", "TOP", "TRY", "TTD", "TWD", "TZS", "UAH", "UGX", "USD", "USN",
    "UYI", "UYU", "UYW", "UZS", "VED", "VES", "VND", "VUV", "WST", "XAD", "XAF", "XAG", "XAU", "XBA", "XBB",
    "XBC", "XBD", "XCD", "XCG", "XDR", "XOF", "XPD", "XPF", "XPT", "XSU", "XTS", "XUA", "XXX", "YER", "ZAR",
    "ZMW", "ZWG", "ZWL",
];

/// The code that a text consists of, in upper case as ISO 4217 writes it.
pub(super) fn iso_code(text: &str) -> Option<&'static str> {
    CODES.binary_search(&text).ok().and_then(|at| CODES.get(at).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_unique_and_of_three_capital_letters() {
        assert!(CODES.is_sorted_by(|one, next| one < next));
        for code in CODES {
            assert!(code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase()), "{code}");
        }
    }

    #[test]
    fn only_exact_codes_are_recognised() {
        for code in ["AED", "EUR", "JPY", "USD", "VES", "XXX", "ZWL", "HRK", "CHW", "XCG", "ZWG"] {
            assert_eq!(iso_code(code), Some(code));
        }
        // `XCG` replaces `ANG`, and the euro replaces `DEM`: the table has neither of the old codes.
        for other in ["", "EU", "eur", "Eur", "EURO", "ANG", "DEM", "ABC", "THE", "€"] {
            assert_eq!(iso_code(other), None, "{other}");
        }
    }
}
