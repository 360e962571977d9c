-- Version 1. `{schema}` is replaced by the quoted name of the schema. Times are microseconds since the Unix
-- epoch on the clock of the engine, unless a column has a type of its own. Keys of URLs are 64-bit hashes.

-- Autovacuum: by default it waits until a fifth of a table is dead, and cuts empty pages off its end under a
-- lock that stops all others. Tables that churn have limits of their own, each with its reason.

-- The version of this schema, in one row.
CREATE TABLE {schema}.meta (
    version int NOT NULL,
    -- The first version of the program that works with it.
    compatible_from int NOT NULL
);

-- Markers of transactions: one exists if it was committed. A process reads it when the answer to its COMMIT
-- is lost, and deletes it otherwise. What a lost connection leaves is deleted after a day, when a process
-- opens the store.
CREATE TABLE {schema}.operation (
    process uuid NOT NULL,
    number bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (process, number)
);

-- A process with a store. Its row is the epoch of its leases: a commit of the process locks the row, and the
-- process that ends its term deletes the row. So nothing of a process is committed after its term has ended.
CREATE TABLE {schema}.worker (
    -- The embedded memory store has the epoch 1.
    id bigint GENERATED ALWAYS AS IDENTITY (START WITH 16) PRIMARY KEY,
    name text NOT NULL,
    -- The end of its term, on the clock of the server.
    until timestamptz NOT NULL,
    -- It has capacity, and found no host to take.
    hungry boolean NOT NULL DEFAULT false,
    -- What it works on, for statistics and for the load of teams: {"team": leased pages}.
    leased jsonb NOT NULL DEFAULT '{}'
    -- Heartbeats update the few rows in place. Its pages are never cut off: a heartbeat would wait for that.
) WITH (fillfactor = 50, vacuum_truncate = off);

-- A host, with the port if it is not the default. One worker at a time sends requests to it.
CREATE TABLE {schema}.host (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    -- The worker that holds it.
    worker bigint,
    -- Pages wait for it. The holder clears it when it gives the host back without pages.
    has_work boolean NOT NULL DEFAULT false,
    -- The address that was dialed last. Hosts with one address are held by one worker.
    address inet,
    -- No request before this time.
    ready_at bigint NOT NULL DEFAULT 0,
    -- The minimum time between requests, in microseconds.
    gap bigint NOT NULL DEFAULT 0,
    -- The concurrency that it was found to handle; null for a new host.
    places int,
    -- Another worker waits for it, for a request without a lease, on the clock of the server.
    wanted_at timestamptz
    -- Each change of the holder leaves dead entries in the indexes of free hosts, which each poll reads: they
    -- are removed early, also if there are millions of hosts.
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
CREATE INDEX host_free ON {schema}.host (ready_at) WHERE worker IS NULL AND has_work;
CREATE INDEX host_idle ON {schema}.host (ready_at) WHERE worker IS NULL AND NOT has_work;
CREATE INDEX host_worker ON {schema}.host (worker) WHERE worker IS NOT NULL;
CREATE INDEX host_address ON {schema}.host (address, worker) WHERE worker IS NOT NULL AND address IS NOT NULL;

-- A team with a limit for its pages in work.
CREATE TABLE {schema}.team (
    name text COLLATE "C" PRIMARY KEY,
    -- Maximum number of leased pages; null sets no limit.
    slots int,
    -- The part of them that workers hold.
    slots_held int NOT NULL DEFAULT 0,
    -- A worker needs a slot and found none, on the clock of the server.
    wanted_at timestamptz,
    last_success bigint
) WITH (fillfactor = 50);

-- The state of a job: what its operations change. Rows are small, and updates touch no index until the end.
CREATE TABLE {schema}.job (
    number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id uuid NOT NULL UNIQUE,
    team text COLLATE "C",
    kind smallint,
    -- 0 scraping, 1 completed, 2 failed, 3 cancelled.
    state smallint NOT NULL DEFAULT 0,
    sealed boolean NOT NULL,
    paused boolean NOT NULL DEFAULT false,
    -- Its documents stay after they are read.
    keeps boolean NOT NULL,
    max_documents bigint NOT NULL,
    max_in_flight int,
    max_depth int,
    -- Pages that wait or are leased, and those of them that are not pages, such as sitemaps.
    pending bigint NOT NULL DEFAULT 0,
    pending_auxiliary bigint NOT NULL DEFAULT 0,
    documents bigint NOT NULL DEFAULT 0,
    failed bigint NOT NULL DEFAULT 0,
    robots_blocked bigint NOT NULL DEFAULT 0,
    -- Entries of the lists of failures and refusals.
    failures_listed int NOT NULL DEFAULT 0,
    blocked_listed int NOT NULL DEFAULT 0,
    -- Pages that workers may lease: with the documents, at most `max_documents`.
    tokens_held bigint NOT NULL DEFAULT 0,
    -- The part of `max_in_flight` that workers hold.
    slots_held int NOT NULL DEFAULT 0,
    -- A worker needs a token or a slot and found none, on the clock of the server.
    wanted_at timestamptz,
    -- Position of the first document that is not read, and the size of those that are not; for a stream.
    read_position bigint NOT NULL DEFAULT 0,
    unread_bytes bigint NOT NULL DEFAULT 0,
    -- Credits: the minimum price of a page, what is reserved, the number of grants, and no more are granted.
    price bigint NOT NULL DEFAULT 1,
    budget bigint,
    grants bigint NOT NULL DEFAULT 0,
    denied boolean NOT NULL DEFAULT false,
    tokens_used bigint NOT NULL DEFAULT 0,
    credits_used bigint NOT NULL DEFAULT 0,
    created_at bigint NOT NULL,
    ended_at bigint,
    failure smallint,
    error text,
    -- JSON of its warnings.
    warnings text NOT NULL DEFAULT '[]',
    -- Numbers of its next event to deliver, and of the next to add.
    next_event bigint NOT NULL DEFAULT 0,
    events bigint NOT NULL DEFAULT 0,
    has_webhook boolean NOT NULL,
    -- It is part of another job, and in no list.
    part_of uuid,
    -- Its end is not settled with the accounts provider yet.
    unsettled boolean NOT NULL DEFAULT false,
    -- Removed, except for its events and its settlement.
    removed boolean NOT NULL DEFAULT false,
    -- What belongs to the removed job is deleted, except for its documents.
    cleaned boolean NOT NULL DEFAULT false,
    -- The worker of a job without pages of its own, or of a part of such a job.
    runner bigint
    -- Ended jobs stay for days, and only the few running ones change: their dead entries in the indexes of
    -- running jobs do not wait for a fifth of all jobs.
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
CREATE INDEX job_running ON {schema}.job (team, kind) WHERE state = 0;
CREATE INDEX job_open ON {schema}.job (number) WHERE state = 0;
CREATE INDEX job_ended ON {schema}.job (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX job_unsettled ON {schema}.job (ended_at, number) INCLUDE (team) WHERE unsettled;
-- Only these jobs can be short of credits.
CREATE INDEX job_budget ON {schema}.job (id) WHERE state = 0 AND budget IS NOT NULL AND NOT denied;
CREATE INDEX job_part ON {schema}.job (part_of) WHERE part_of IS NOT NULL;
CREATE INDEX job_removed ON {schema}.job (number) WHERE removed;

-- What a job was submitted with. It never changes.
CREATE TABLE {schema}.job_form (
    job int PRIMARY KEY,
    url text,
    -- JSON; null when the job has ended.
    request text,
    form text NOT NULL,
    webhook text
);

-- The tokens and slots of a job that a worker holds.
CREATE TABLE {schema}.job_share (
    job int NOT NULL,
    worker bigint NOT NULL,
    tokens bigint NOT NULL,
    slots int NOT NULL,
    PRIMARY KEY (job, worker)
) WITH (fillfactor = 50);
CREATE INDEX job_share_worker ON {schema}.job_share (worker);

-- The slots of a team that a worker holds.
CREATE TABLE {schema}.team_share (
    team text COLLATE "C" NOT NULL,
    worker bigint NOT NULL,
    slots int NOT NULL,
    PRIMARY KEY (team, worker)
) WITH (fillfactor = 50);

-- The pages that a job has seen. Without `max_depth`, rows are only added, so they need no vacuum while the
-- job runs.
CREATE TABLE {schema}.page (
    key bigint NOT NULL,
    job int NOT NULL,
    -- The smallest known number of clicks; null if the job has no `max_depth`.
    depth int,
    PRIMARY KEY (job, key)
);

-- Waiting pages of one job on one host, in blocks: a list of pages in the form of gleaner-store, compressed.
-- A block is deleted when all its pages have ended.
CREATE TABLE {schema}.block (
    host int NOT NULL,
    job int NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    pages bytea NOT NULL,
    PRIMARY KEY (host, job, id)
    -- Each block is deleted: the space of few is reused before the table grows, also that of their lists,
    -- which lie apart. The space of a queue that became empty stays for the next pages.
) WITH (
    autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_scale_factor = 0.05,
    vacuum_truncate = off, toast.vacuum_truncate = off
);
CREATE INDEX block_job ON {schema}.block (job);
ALTER TABLE {schema}.block ALTER pages SET STORAGE EXTERNAL;

-- Pages that have ended, of blocks that have others left: one row per commit of a worker.
CREATE TABLE {schema}.ended (
    worker bigint NOT NULL,
    number bigint NOT NULL,
    -- In parallel: the block, its host and job, and the key of the page.
    blocks bigint[] NOT NULL,
    hosts int[] NOT NULL,
    jobs int[] NOT NULL,
    keys bigint[] NOT NULL,
    PRIMARY KEY (worker, number)
    -- Each row lives for a short time, so the table is almost empty, and a part of it says little: a number
    -- of dead rows counts. It grows again at once, so its pages are not cut off.
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
    vacuum_truncate = off, toast.vacuum_truncate = off
);

-- The link graph of jobs with `max_depth`: ended pages with their links, and pages that are too deep so far.
CREATE TABLE {schema}.graph (
    job int NOT NULL,
    key bigint NOT NULL,
    links bigint[] NOT NULL,
    -- The page that it redirects to; or for such a page, the one that redirects to it.
    target bigint,
    PRIMARY KEY (job, key)
);
CREATE TABLE {schema}.too_deep (
    job int NOT NULL,
    key bigint NOT NULL,
    depth int NOT NULL,
    url text NOT NULL,
    external boolean NOT NULL,
    priority smallint NOT NULL,
    PRIMARY KEY (job, key)
);

-- Documents of jobs, as compressed JSON. Partitions are by the day on which the job was submitted, so that
-- retention drops them.
CREATE TABLE {schema}.document (
    -- Days since the Unix epoch.
    day int NOT NULL,
    job int NOT NULL,
    position bigint NOT NULL,
    -- The local half of the scrape id.
    scrape bigint,
    credits bigint NOT NULL,
    -- Size of the JSON in bytes; 0 for a document that could not be read and is removed.
    size bigint NOT NULL,
    body bytea NOT NULL
) PARTITION BY LIST (day);
CREATE INDEX document_position ON {schema}.document (job, position);
CREATE INDEX document_scrape ON {schema}.document (job, scrape) WHERE scrape IS NOT NULL;
ALTER TABLE {schema}.document ALTER body SET STORAGE EXTERNAL;

-- Failed pages and refusals by robots.txt, up to a limit for each job.
CREATE TABLE {schema}.failure (
    job int NOT NULL,
    -- The number of the failure or of the refusal within the job.
    sequence bigint NOT NULL,
    is_refusal boolean NOT NULL,
    at bigint NOT NULL,
    url text NOT NULL,
    slash_added boolean NOT NULL,
    code text NOT NULL,
    message text NOT NULL,
    PRIMARY KEY (job, is_refusal, sequence)
);

-- The results of jobs with one result, as JSON.
CREATE TABLE {schema}.conclusion (
    job int PRIMARY KEY,
    body text NOT NULL
);

-- Notes of running jobs.
CREATE TABLE {schema}.note (
    job int NOT NULL,
    kind smallint NOT NULL,
    key bigint NOT NULL,
    -- Either a number that is added to, or bytes.
    number bigint,
    bytes bytea,
    PRIMARY KEY (job, kind, key)
);

-- Undelivered events.
CREATE TABLE {schema}.event (
    job int NOT NULL,
    sequence bigint NOT NULL,
    kind smallint NOT NULL,
    document bigint,
    url text,
    slash_added boolean NOT NULL DEFAULT false,
    concludes boolean NOT NULL DEFAULT false,
    error text,
    PRIMARY KEY (job, sequence)
    -- A queue: rows go after their delivery. While many wait, the dead ones before them are removed early.
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, vacuum_truncate = off);
-- When the next event of a job is due.
CREATE TABLE {schema}.due (
    job int PRIMARY KEY,
    at bigint NOT NULL,
    attempt int NOT NULL DEFAULT 0
    -- Each delivery changes the time, and the reader of the first times would pass all dead entries.
) WITH (
    fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
    vacuum_truncate = off
);
CREATE INDEX due_at ON {schema}.due (at, job);
-- Events that were given up.
CREATE TABLE {schema}.dead_letter (
    job int NOT NULL,
    sequence bigint NOT NULL,
    kind smallint NOT NULL,
    attempts int NOT NULL,
    reason text NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (job, sequence)
);

-- Idempotency keys of teams.
CREATE TABLE {schema}.idempotency_key (
    team text COLLATE "C" NOT NULL,
    key uuid NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (team, key)
);
CREATE INDEX idempotency_key_at ON {schema}.idempotency_key (at);

-- Credits that are about to be reserved for jobs that are not submitted yet.
CREATE TABLE {schema}.reservation (
    operation uuid PRIMARY KEY,
    job uuid NOT NULL,
    team text NOT NULL,
    credits bigint NOT NULL,
    worker bigint NOT NULL
);

-- Settled jobs, for the log of a team.
CREATE TABLE {schema}.activity (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    team text COLLATE "C" NOT NULL,
    ended_at bigint NOT NULL,
    -- JSON of the ended job.
    body text NOT NULL
);
CREATE INDEX activity_team ON {schema}.activity (team, ended_at DESC, number DESC);

-- Documents of single scrapes.
CREATE TABLE {schema}.scrape (
    id uuid PRIMARY KEY,
    team text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    -- Size of the JSON in bytes.
    size bigint NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX scrape_at ON {schema}.scrape (at);
ALTER TABLE {schema}.scrape ALTER body SET STORAGE EXTERNAL;

-- The last scrapes of pages, for change tracking: the newest of another job is compared with.
CREATE TABLE {schema}.history (
    team text COLLATE "C" NOT NULL,
    -- Hash of the URL and the tag.
    page bytea NOT NULL,
    job uuid NOT NULL,
    -- The order in which they were recorded.
    number bigint GENERATED ALWAYS AS IDENTITY,
    at bigint NOT NULL,
    status int,
    -- Size of the JSON in bytes.
    size bigint NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (team, page, job)
);
ALTER TABLE {schema}.history ALTER body SET STORAGE EXTERNAL;
