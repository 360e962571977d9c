//! Typed values in running text. Each reader is a declared rule from text to value, used both to find
//! candidates and to verify the claims of a model.

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
