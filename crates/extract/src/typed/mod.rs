//! Typed values in running text: each reader is a declared rule from text to value, used both to find candidates and
//! to re-derive what a model claims.

mod contact;
mod currency;
mod date;
mod gtin;
mod money;
mod number;
mod stock;
mod stock_words;

pub(crate) use contact::{email, phone};
pub(crate) use date::date;
pub(crate) use gtin::gtin;
pub(crate) use money::{Money, currency_code, currency_sign, money_amounts};
pub(crate) use number::{NumberStyle, amounts, decimal};
pub(crate) use stock::{StockState, is_buy_label, mentions_stock, stock};
