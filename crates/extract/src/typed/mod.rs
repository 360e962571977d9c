//! Typed values in running text. Each reader is a declared rule from text to value, used both to find
//! candidates and to verify the claims of a model.
//!
//! Readers with a range find values anywhere in a text, in time linear in the text. The words that they know
//! are in tables for about 35 languages, in one form: lower case without accents.

mod affix;
mod affix_words;
mod contact;
mod count;
mod currency;
mod date;
mod date_forms;
mod date_times;
mod duration;
mod duration_amount;
mod duration_form;
mod duration_units;
mod gtin;
mod magnitude;
mod money;
mod money_range;
mod months;
mod name_shape;
mod number;
mod pay_period;
mod rating;
mod stock;
mod stock_phrases;
mod stock_words;
mod terms;
mod time_of_day;
mod token;
mod words;
mod yes_no;

pub(crate) use affix::strip_affixes;
pub(crate) use contact::{email, phone};
pub(crate) use count::count;
pub(crate) use date::{DAY_BYTES, date, date_range, dates, moment};
pub(crate) use duration::{duration, durations, only_duration};
pub(crate) use duration_form::{iso_duration, minutes};
pub(crate) use gtin::gtin;
pub(crate) use money::{Money, currency_code, currency_sign, is_currency_sign, money_amounts};
pub(crate) use money_range::money_range;
pub(crate) use name_shape::{is_name, is_place, is_plain, is_term};
pub(crate) use number::{NumberStyle, amounts, decimal};
pub(crate) use rating::rating;
pub(crate) use stock::{StockState, is_buy_label, mentions_stock, stock};
pub(crate) use terms::{is_employment, is_language, without_binding};
pub(crate) use yes_no::yes_no;
