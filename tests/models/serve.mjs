// A small model behind an OpenAI-compatible endpoint on loopback, and the pages of the questions.
//
//     node serve.mjs MODEL.gguf QUESTIONS.json
//
// prints `port N` once it listens. `GET /page/N` is the page of the Nth question. `POST /v1/chat/completions`
// runs the model, with a grammar for the JSON schema of the request. Each answer is a line on standard error.
// Requests are served one at a time, for small machines.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { getLlama, LlamaChatSession } from "node-llama-cpp";

const MAX_BODY_BYTES = 1 << 20;
const CONTEXT_TOKENS = 2048;
const ANSWER_TOKENS = 160;
const MAX_TEXT_LENGTH = 80;

const [modelPath, questionsPath] = process.argv.slice(2);
const questions = JSON.parse(readFileSync(questionsPath, "utf8"));
const llama = await getLlama({ gpu: false, build: "never", logLevel: "error" });
const model = await llama.loadModel({ modelPath });
// One thread: several threads wait for each other at every layer, which is very slow on a busy machine.
const context = await model.createContext({ contextSize: CONTEXT_TOKENS, threads: 1 });

// The schema in the form of the grammar: `oneOf` for alternatives, and bounded strings, because a model of
// this size does not end them by itself.
function grammarSchema(schema) {
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (alternatives) return { oneOf: alternatives.map(grammarSchema) };
    if (Array.isArray(schema.type)) {
        return { oneOf: schema.type.map((type) => grammarSchema({ ...schema, type })) };
    }
    if (schema.enum) return { enum: schema.enum };
    if (schema.type === "string") return { type: "string", maxLength: MAX_TEXT_LENGTH };
    if (schema.type === "array") {
        return { type: "array", items: grammarSchema(schema.items ?? { type: "string" }) };
    }
    if (schema.type !== "object") return { type: schema.type };
    const entries = Object.entries(schema.properties ?? {});
    const properties = entries.map(([name, inner]) => [name, grammarSchema(inner)]);
    return { type: "object", properties: Object.fromEntries(properties) };
}

async function complete(request) {
    const [system, ...rest] = request.messages.map((message) => message.content);
    const schema = request.response_format?.json_schema?.schema;
    const grammar = schema ? await llama.createGrammarForJsonSchema(grammarSchema(schema)) : undefined;
    const sequence = context.getSequence();
    const session = new LlamaChatSession({ contextSequence: sequence, systemPrompt: system });
    try {
        const { responseText, stopReason } = await session.promptWithMeta(rest.join("\n\n"), {
            grammar, temperature: 0, maxTokens: Math.min(request.max_tokens ?? ANSWER_TOKENS, ANSWER_TOKENS),
        });
        const { usedInputTokens: input, usedOutputTokens: output } = sequence.tokenMeter.getState();
        const finishReason = stopReason === "maxTokens" ? "length" : "stop";
        const message = { role: "assistant", content: responseText };
        return {
            id: "local", object: "chat.completion", created: 0, model: request.model,
            choices: [{ index: 0, finish_reason: finishReason, message }],
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
    if (question.html) return question.html;
    const sentences = question.text.split(". ");
    const [title, text] = [sentences[0], sentences.slice(1).join(". ")];
    return `<!doctype html><title>${title}</title><main><h1>${title}</h1><p>${text}</p></main>`;
}

let queue = Promise.resolve();
const server = createServer((request, response) => {
    if (request.method === "GET") {
        const found = page(Number(request.url.split("/").pop()));
        const headers = { "content-type": "text/html; charset=utf-8" };
        response.writeHead(found ? 200 : 404, headers).end(found ?? "");
        return;
    }
    let body = "";
    request.on("data", (part) => {
        body += part;
        if (body.length > MAX_BODY_BYTES) request.destroy();
    });
    request.on("end", () => {
        queue = queue.then(async () => {
            const started = Date.now();
            let status = 200;
            let reply;
            try {
                reply = await complete(JSON.parse(body));
            } catch (error) {
                status = 400;
                reply = { error: { message: String(error), type: "invalid_request_error" } };
            }
            const text = reply.choices?.[0].message.content ?? reply.error.message;
            const milliseconds = Date.now() - started;
            console.error(JSON.stringify({ status, text, usage: reply.usage, milliseconds }));
            response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(reply));
        });
    });
});
server.listen(0, "127.0.0.1", () => console.log(`port ${server.address().port}`));
