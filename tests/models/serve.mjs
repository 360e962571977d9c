// One small model behind an OpenAI-compatible endpoint on loopback, and the pages that it is asked about.
//
//     node serve.mjs MODEL.gguf QUESTIONS.json
//
// prints `port N` once it listens. `GET /page/N` is the page of the Nth question, `POST /v1/chat/completions` asks the model, whose answer is held to
// the request's JSON schema by a grammar. Each answer is a line on standard error. One request at a time: the model is small, and so may the machine be.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { getLlama, LlamaChatSession } from "node-llama-cpp";

const MAX_BODY_BYTES = 1 << 20;
const CONTEXT_TOKENS = 2048;
const ANSWER_TOKENS = 160;
const LONGEST_TEXT = 80;

const [modelPath, questionsPath] = process.argv.slice(2);
const questions = JSON.parse(readFileSync(questionsPath, "utf8"));
const llama = await getLlama({ gpu: false, build: "never", logLevel: "error" });
const model = await llama.loadModel({ modelPath });
// One thread: several wait for each other at every layer, which on a machine that builds besides takes minutes for a sentence.
const context = await model.createContext({ contextSize: CONTEXT_TOKENS, threads: 1 });

// The grammar's own form of a schema: `oneOf` for alternatives, and texts with an end, as a model of this size finds none by itself.
function ruled(schema) {
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (alternatives) return { oneOf: alternatives.map(ruled) };
    if (Array.isArray(schema.type)) return { oneOf: schema.type.map((type) => ruled({ ...schema, type })) };
    if (schema.enum) return { enum: schema.enum };
    if (schema.type === "string") return { type: "string", maxLength: LONGEST_TEXT };
    if (schema.type === "array") return { type: "array", items: ruled(schema.items ?? { type: "string" }) };
    if (schema.type !== "object") return { type: schema.type };
    const properties = Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, ruled(inner)]);
    return { type: "object", properties: Object.fromEntries(properties) };
}

async function complete(request) {
    const [system, ...rest] = request.messages.map((message) => message.content);
    const schema = request.response_format?.json_schema?.schema;
    const grammar = schema ? await llama.createGrammarForJsonSchema(ruled(schema)) : undefined;
    const sequence = context.getSequence();
    const session = new LlamaChatSession({ contextSequence: sequence, systemPrompt: system });
    try {
        const { responseText, stopReason } = await session.promptWithMeta(rest.join("\n\n"), {
            grammar, temperature: 0, maxTokens: Math.min(request.max_tokens ?? ANSWER_TOKENS, ANSWER_TOKENS),
        });
        const { usedInputTokens: input, usedOutputTokens: output } = sequence.tokenMeter.getState();
        const ended = stopReason === "maxTokens" ? "length" : "stop";
        const message = { role: "assistant", content: responseText };
        return {
            id: "local", object: "chat.completion", created: 0, model: request.model,
            choices: [{ index: 0, finish_reason: ended, message }],
            usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
        };
    } finally {
        session.dispose();
        sequence.dispose();
    }
}

function page(number) {
    const question = questions[number];
    if (!question) return undefined;
    const sentences = question.text.split(". ");
    return `<!doctype html><title>${sentences[0]}</title><main><h1>${sentences[0]}</h1><p>${sentences.slice(1).join(". ")}</p></main>`;
}

let turn = Promise.resolve();
const server = createServer((request, response) => {
    if (request.method === "GET") {
        const found = page(Number(request.url.split("/").pop()));
        response.writeHead(found ? 200 : 404, { "content-type": "text/html; charset=utf-8" }).end(found ?? "");
        return;
    }
    let body = "";
    request.on("data", (part) => {
        body += part;
        if (body.length > MAX_BODY_BYTES) request.destroy();
    });
    request.on("end", () => {
        turn = turn.then(async () => {
            const begun = Date.now();
            let status = 200;
            let said;
            try {
                said = await complete(JSON.parse(body));
            } catch (error) {
                status = 400;
                said = { error: { message: String(error), type: "invalid_request_error" } };
            }
            const text = said.choices?.[0].message.content ?? said.error.message;
            console.error(JSON.stringify({ status, text, usage: said.usage, milliseconds: Date.now() - begun }));
            response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(said));
        });
    });
});
server.listen(0, "127.0.0.1", () => console.log(`port ${server.address().port}`));
