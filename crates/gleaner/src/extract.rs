//! Structured data, as the engine is asked for it: as JSON, as a type of the caller's, or as a plan alone.

use std::any::type_name;
use std::ops::Deref;

use gleaner_extract::Plan;
use gleaner_runtime::ExtractTask;
use gleaner_types::request::ExtractRequest;
use gleaner_types::{ErrorCode, JobId, PageError};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::structured::ExtractResult;
use crate::support::check_webhook;
use crate::{Engine, Error, ExtractWatch};

/// Structured data as a type of the caller's, with all that is known about it: what [`Engine::extract_into`] gives.
///
/// It derefs to the [`ExtractResult`] that it was made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Typed<T> {
    /// The data.
    pub value: T,
    /// The same as JSON, with its proofs and what it cost.
    pub result: ExtractResult,
}

impl<T> Deref for Typed<T> {
    type Target = ExtractResult;

    fn deref(&self) -> &ExtractResult {
        &self.result
    }
}

impl Engine {
    /// Reads structured data off pages: those that the request names, those of a site that are chosen for its wildcard, or
    /// those that the web search finds for its prompt. Dropping the future ends the work.
    ///
    /// Every value comes with its proof ([`ExtractResult::leaves`]); what no page states plainly stays empty, and `warning`
    /// tells. Without a model ([`EngineBuilder::model`](crate::EngineBuilder::model)) a schema is needed, and what pages say
    /// about themselves is all that is read. Within a budget
    /// ([`EngineBuilder::extract_budget`](crate::EngineBuilder::extract_budget)) whatever ends the work early, the result is
    /// what there is until then, and [`ExtractResult::stopped`] says why.
    ///
    /// # Errors
    /// [`Request`](crate::ErrorKind::Request) where the request breaks rules, [`Unsupported`](crate::ErrorKind::Unsupported)
    /// where a model or a search engine is needed and there is none, [`Page`](crate::ErrorKind::Page) where no page could be
    /// read.
    pub async fn extract(&self, request: ExtractRequest) -> Result<ExtractResult, Error> {
        self.extract_watched(request, &ExtractWatch::new()).await
    }

    /// As [`extract`](Self::extract), and `watch` tells meanwhile how far it is.
    ///
    /// # Errors
    /// Those of [`extract`](Self::extract).
    pub async fn extract_watched(
        &self,
        request: ExtractRequest,
        watch: &ExtractWatch,
    ) -> Result<ExtractResult, Error> {
        let plan = request.check_within(self.bounds())?;
        self.check_extract(&plan)?;
        check_webhook(plan.webhook.as_ref())?;
        let found = match &self.planner {
            Some(planner) => planner.run(plan, None, Some(watch)).await,
            None => {
                let (id, cancelled) = (JobId::from_uuid(Uuid::now_v7()), CancellationToken::new());
                self.extract
                    .extract(ExtractTask { id, plan, cancelled, reservation: None })
                    .await
                    .map(ExtractResult::from)
            }
        };
        Ok(found.map_err(gleaner_runtime::Error::from)?)
    }

    /// As [`extract`](Self::extract), with the schema of a Rust type, into that type. Doc comments of fields become
    /// descriptions, which help to find their values. A field that a page may lack should be an [`Option`] or have a
    /// `#[serde(default)]`.
    ///
    /// ```
    /// use gleaner::schemars::JsonSchema;
    /// use gleaner::{Engine, ExtractRequest};
    ///
    /// #[derive(serde::Deserialize, JsonSchema)]
    /// #[schemars(crate = "gleaner::schemars")]
    /// struct Product {
    ///     name: String,
    ///     /// In the shop's currency.
    ///     price: Option<f64>,
    ///     brand: Option<String>,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let body = "<h1>Red cup</h1> <p class=price>12,50 €</p> <dl><dt>Brand</dt><dd>Acme</dd></dl>";
    /// # let page = gleaner_testkit::Step::respond("200 OK", &[("content-type", "text/html; charset=utf-8")], body);
    /// # let shop = gleaner_testkit::RawServer::start([gleaner_testkit::Step::ReadRequest, page])?;
    /// # let url = shop.base_url();
    /// // The page is on this machine here, which takes leave.
    /// let engine = Engine::builder().allow_private("127.0.0.0/8".parse()?).build()?;
    /// let found = engine.extract_into::<Product>(ExtractRequest::new([&url])).await?;
    /// assert_eq!(found.value.price, Some(12.5));
    ///
    /// // Each value has its proof: the page, its words, and where they stand.
    /// let proof = &found.leaves.iter().find(|leaf| leaf.pointer == "/price").ok_or("no price")?.provenance[0];
    /// assert_eq!(proof.quote, "12,50 €");
    /// # assert_eq!((found.value.name.as_str(), found.value.brand.as_deref()), ("Red cup", Some("Acme")));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`extract`](Self::extract); [`Request`](crate::ErrorKind::Request) too where the request has a schema of its
    /// own; [`Incomplete`](crate::ErrorKind::Incomplete) where the data does not fill the type: then
    /// [`Error::found`] has it as JSON.
    pub async fn extract_into<T>(&self, request: ExtractRequest) -> Result<Typed<T>, Error>
    where
        T: DeserializeOwned + JsonSchema,
    {
        let request = with_schema_of::<T>(request)?;
        let result = self.extract(request).await?;
        match T::deserialize(&result.data) {
            Ok(value) => Ok(Typed { value, result }),
            Err(why) => {
                let text = format!(
                    "the pages do not state all that `{}` needs: {why}; a field that may be empty should be an `Option`",
                    short_name::<T>()
                );
                Err(Error::incomplete(text, result))
            }
        }
    }

    /// What an extract would do and cost, without doing it: a plan that can be printed, stored and argued with. Uses no network.
    ///
    /// ```
    /// use gleaner::{Engine, ExtractRequest};
    ///
    /// # fn main() -> Result<(), gleaner::Error> {
    /// let schema = serde_json::json!({ "properties": { "founder": { "type": "string" } } });
    /// let request = ExtractRequest::new(["https://firm.example/*"]).with_schema(schema)?;
    /// let plan = Engine::builder().build()?.plan_extract(request)?;
    /// assert!(plan.to_string().starts_with("1. list the pages of https://firm.example/"));
    /// assert_eq!(plan.estimate.most_tokens, 0, "no model is configured");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As for [`extract`](Self::extract), pages aside; [`Unsupported`](crate::ErrorKind::Unsupported) too where the embedder
    /// brought an extractor of its own, whose plans the engine does not know.
    pub fn plan_extract(&self, request: ExtractRequest) -> Result<Plan, Error> {
        let plan = request.check_within(self.bounds())?;
        self.check_extract(&plan)?;
        let Some(planner) = &self.planner else {
            return Err(Error::unsupported(
                ErrorCode::UnsupportedOption,
                "the engine extracts by other means than its own, whose plans are not known",
            ));
        };
        planner.plan(&plan).map_err(|error| {
            let error = PageError { code: ErrorCode::BadRequest, message: error.to_string() };
            gleaner_runtime::Error::from(error).into()
        })
    }
}

/// The request with the schema of a type.
fn with_schema_of<T: JsonSchema>(mut request: ExtractRequest) -> Result<ExtractRequest, Error> {
    if request.schema.is_some() {
        let text = "`schema` is that of the type that is asked for: leave it out of the request";
        return Err(Error::fault("schema", text));
    }
    let schema = SchemaGenerator::new(SchemaSettings::draft2020_12()).into_root_schema_for::<T>();
    let Value::Object(schema) = schema.to_value() else {
        let text = format!("the schema of `{}` is no object: ask for a struct", short_name::<T>());
        return Err(Error::fault("schema", text));
    };
    request.schema = Some(schema);
    Ok(request)
}

fn short_name<T>() -> &'static str {
    let name = type_name::<T>();
    name.rsplit("::").next().unwrap_or(name)
}
