// SPDX-License-Identifier: Apache-2.0
// The documents of the native API. Made from src/door/native/openapi.json by tools/native_types.py:
// change that and run it.

/** An instant in UTC, RFC 3339. */
export type Time = string;

/** Ascends in the order in which asks were made. */
export type AskId = string;

export type SessionId = string;

export type MessageId = string;

/** A session: our id for it, or the client's own name. */
export type SessionRef = string;

/** A place in the order of events: digits, to be kept as text. */
export type Cursor = string;

export interface Option {
  /** One line, unlike the others of its question. */
  label: string;
  description: string;
  /** Shown beside the option while it is considered. */
  preview?: string;
  /** The first option, if its label ends with `(Recommended)`. */
  recommended?: boolean;
  /** The label as people are to read it, where that is another text. */
  shown?: string;
  /** The agent's own "Other": chosen, it opens the field for free text. */
  opens_text?: boolean;
}

export interface Question {
  /** What is asked; no two of one ask are the same. */
  question: string;
  /** A few words for where space is short. */
  header: string;
  kind: QuestionKind;
  options: Option[];
  /** Several options may be chosen. */
  multi_select: boolean;
  /** Free text is allowed beside or instead of the options. */
  custom: boolean;
  required?: QuestionRequired;
  min?: QuestionMin;
  max?: QuestionMax;
  /** Labels, then free text: what a front marks beforehand. */
  default?: string[];
}

/**
 * How it is answered. `choice`: by options, free text, or both. A client that does not know a kind
 * can take the answer as free text.
 */
export type QuestionKind = "choice";

/** Whether the answer may be empty, at every door. Absent: as the door has it. */
export type QuestionRequired = boolean;

/** At least so many choices, free text counted as one, where any is made. */
export type QuestionMin = number;

/** At most so many choices. */
export type QuestionMax = number;

/** Labels or a text that fronts mark beforehand. A person still sends them. */
export type QuestionDefault =
  | string
  | string[];

/** The answer to one question. With nothing in it, the question is unanswered. */
export interface Answer {
  selected: string[];
  /** Free text. */
  other?: string;
  /** A remark on the choice. */
  note?: string;
}

/** The tool call that an ask came from. */
export interface ToolCall {
  /** In the agent's own names. */
  message_id?: string;
  /** With the session, it makes a retry the same ask. */
  call_id: string;
}

/**
 * What a tool would do if it is allowed. Where the input says what would change, as of an edit or a
 * plan, the broker makes `diff` and `plan` from it. The broker also makes a `summary`, which a
 * request must not have.
 */
export interface PermissionRequest {
  tool: string;
  /** The tool's whole input: any JSON, at most 1 MiB, nested at most 24 deep. */
  input: unknown;
  /** Unified: what would change. */
  diff?: string;
  /** Markdown: what would be done. */
  plan?: string;
}

/** What a tool would do if it is allowed. */
export interface Permission {
  tool: string;
  /** The tool's whole input. */
  input: unknown;
  /** Unified: what would change. Line numbers count within the text that is replaced. */
  diff?: string;
  /** Markdown: what would be done. */
  plan?: string;
  /**
   * One line of plain text for rows, titles and notifications: the command, the path, the tool with
   * its first argument.
   */
  summary: string;
}

/**
 * `deny`: the ask is timed_out. With a default: it is answered with that, and the timer is named as
 * the decider.
 */
export type OnTimeout =
  | "deny"
  | {
    default: Answer[];
  };

export interface Decider {
  kind: "person" | "timer" | "agent" | "rule";
  /**
   * Who it was, as authenticated: the stable key of a person or an agent, or `uid:1000` on the
   * local socket.
   */
  principal?: string;
  /**
   * The authenticated name that people are shown: the principal's, or the login name; of a rule,
   * which.
   */
  name?: string;
  /** What `by` said, where it differs. */
  claimed?: string;
  /** Of the process at the local socket. */
  uid?: number;
  pid?: number;
}

export type Outcome = "answered" | "dismissed" | "timed_out" | "withdrawn";

export interface Settlement {
  outcome: Outcome;
  /** In question order; only when answered. */
  answers?: Answer[];
  decider: Decider;
  /** The protocol through which it came. */
  door: string;
  at: Time;
  /** The reason for a dismissal or withdrawal. */
  note?: string;
}

export type AskState = "pending" | "answered" | "dismissed" | "timed_out" | "withdrawn";

export type Urgency = "low" | "normal" | "high";

/**
 * One pause of one agent. `session_id` is its session, `session` the name of that, or the id again
 * where it has none. `settlement` is there once the state is not pending.
 */
export interface Ask {
  id: AskId;
  session: SessionRef;
  session_id: SessionId;
  state: AskState;
  questions: Question[];
  /** Markdown to be shown beside the questions. */
  context?: string;
  /** Makes a retry the same ask, within its session. */
  key?: string;
  tool?: ToolCall;
  permission?: Permission;
  /** The asker's name for itself. */
  agent?: string;
  urgency: Urgency;
  dismissible: boolean;
  /** Who asked, as authenticated. */
  asker?: string;
  /**
   * Since when what it said is not kept any more: its texts are placeholders, its answers empty.
   */
  content_deleted_at?: Time;
  created_at: Time;
  deadline?: Time;
  timeout_seconds?: number;
  on_timeout?: OnTimeout;
  settlement?: Settlement;
  /**
   * True while it is pending and the agent that asked has no token any more: nobody waits for the
   * answer.
   */
  asker_revoked?: boolean;
  /** You have put it off until then; nobody else sees this. */
  snoozed_until?: Time;
}

export interface AskPage {
  asks: Ask[];
  /** The `after` of the next page; null on the last one. */
  next: string | null;
}

export interface OptionRequest {
  label: string;
  description?: string;
  preview?: string;
}

export interface QuestionRequest {
  question: string;
  /** A few words for where space is short; without it they are made from the question. */
  header?: string;
  kind?: QuestionKind;
  /** None: the answer is free text. */
  options?: (string | OptionRequest)[];
  multi_select?: boolean;
  /** The same as `multi_select`. */
  multiSelect?: boolean;
  /** The same as `multi_select`. */
  multiple?: boolean;
  /** Free text is allowed. */
  custom?: boolean;
  required?: QuestionRequired;
  min?: QuestionMin;
  max?: QuestionMax;
  default?: QuestionDefault;
}

/** An ask, in each form that is understood. */
export type AskBody =
  | AskRequest
  | FlatAskRequest
  | QuestionRequest[]
  | string;

export interface AskRequest {
  questions: QuestionRequest[] | QuestionRequest | string;
  session?: SessionRef;
  /** Makes a retry the same ask, within its session. */
  key?: string;
  /** Without it the ask waits for ever. */
  timeout_seconds?: number;
  on_timeout?: OnTimeout;
  dismissible?: boolean;
  urgency?: Urgency;
  tool?: ToolCall;
  permission?: PermissionRequest;
  /** The asker's name for itself. */
  agent?: string;
  /** Markdown to be shown beside the questions. */
  context?: string;
}

/** An ask of one question, whose members stand among those of the ask. */
export interface FlatAskRequest {
  question: string;
  /** A few words for where space is short; without it they are made from the question. */
  header?: string;
  kind?: QuestionKind;
  /** None: the answer is free text. */
  options?: (string | OptionRequest)[];
  multi_select?: boolean;
  /** The same as `multi_select`. */
  multiSelect?: boolean;
  /** The same as `multi_select`. */
  multiple?: boolean;
  /** Free text is allowed. */
  custom?: boolean;
  required?: QuestionRequired;
  min?: QuestionMin;
  max?: QuestionMax;
  default?: QuestionDefault;
  session?: SessionRef;
  /** Makes a retry the same ask, within its session. */
  key?: string;
  /** Without it the ask waits for ever. */
  timeout_seconds?: number;
  on_timeout?: OnTimeout;
  dismissible?: boolean;
  urgency?: Urgency;
  tool?: ToolCall;
  permission?: PermissionRequest;
  /** The asker's name for itself. */
  agent?: string;
  /** Markdown to be shown beside the questions. */
  context?: string;
}

export interface AnswerRequest {
  /** One for each question, in their order. */
  answers: Answer[];
  /** Who answers, as they say. */
  by?: string;
  /** Questions may be left unanswered. */
  partial?: boolean;
}

export interface ReasonRequest {
  reason?: string;
  /** Who decides, as they say. */
  by?: string;
}

export interface SnoozeRequest {
  /** 0 ends the snooze. */
  seconds: number;
}

/**
 * An answer that was not sent yet; it may be incomplete. It is the person's, on all their devices.
 */
export interface Draft {
  answers: Answer[];
  /** Which of them wrote it. */
  device: string;
  /** Ascends with every change. */
  version: number;
}

export interface DraftRequest {
  answers: Answer[];
  device?: string;
  /** The version that was seen last, 0 for none: a newer one is not overwritten. Absent: it is. */
  version?: number;
}

export interface DraftPage {
  drafts: {
    ask: AskId;
    answers: Answer[];
    device: string;
    version: number;
  }[];
}

export interface Self {
  /** The stable key. */
  principal: string;
  /** What people are shown. */
  name: string;
  role: Role;
  /** The token of this browser's cookie. */
  sign_in?: string;
  /** A new person, whose name is made up until it is said. */
  needs_name?: true;
}

export interface Server {
  version: string;
  /** Where people open it. */
  page: string;
  /** Who answers in a session that a person begins, if anybody does: llm, demo. */
  agent?: string;
}

export type Activity = "idle" | "working";

export interface Session {
  id: SessionId;
  session_id: SessionId;
  session: SessionRef;
  /** The client's own name for it. */
  name?: string;
  title?: string;
  parent?: SessionId;
  /** What runs it. */
  agent?: string;
  /** Where its agent works. */
  directory?: string;
  /** It waits while it has pending asks. */
  state: "idle" | "working" | "waiting" | "ended";
  activity: Activity;
  /** How many asks wait. */
  pending: number;
  on_dismiss: OnDismiss;
  /** The timeout of asks that bring none; absent: they wait for ever. */
  ask_timeout_seconds?: number;
  created_at: Time;
  ended_at?: Time;
}

/** After a dismissal the model is told, or its turn ends. */
export type OnDismiss = "tell" | "stop";

export interface SessionRequest {
  /** A live session of this name is given back as it is. */
  name?: string;
  /** For people. */
  title?: string;
  parent?: SessionRef;
  /** What runs it. */
  agent?: string;
  /** Where its agent works. */
  directory?: string;
  on_dismiss?: OnDismiss;
  /** The timeout of asks that bring none; 0 or absent: they wait for ever. */
  ask_timeout_seconds?: number;
}

export interface SessionPage {
  sessions: Session[];
  next: string | null;
}

export interface EventPage {
  events: {
    cursor: Cursor;
    event: Event;
  }[];
  /** The `before` of the page before this one. */
  next: string | null;
}

export interface MessageRequest {
  text: string;
  /** Who speaks, as they say. */
  by?: string;
}

export interface Said {
  id: MessageId;
  /** The agent waits for an answer, or none is there: it gets the message later. */
  queued: boolean;
}

export interface MessagePage {
  messages: {
    id: MessageId;
    text: string;
    at: Time;
    by: Decider;
  }[];
}

export interface TakenRequest {
  up_to: MessageId;
}

export interface Message {
  id: MessageId;
  text: string;
  by: Decider;
}

export interface NoticeRequest {
  text: string;
  session?: SessionRef;
  level?: Level;
}

export type Level = "info" | "warning" | "error";

export type Accepted = Record<string, never>;

/** One thing that an agent adds to its stream. */
export type StreamEvent =
  | {
    type: "text-start";
    /** The part that this belongs to. */
    part_id: string;
    text?: string;
    /** The part again from its start, for one who joined in its middle. */
    replace?: boolean;
  }
  | {
    type: "text-delta";
    /** The part that this belongs to. */
    part_id: string;
    text: string;
    /** The part again from its start, for one who joined in its middle. */
    replace?: boolean;
  }
  | {
    type: "text-end";
    /** The part that this belongs to. */
    part_id: string;
    /** The whole text; without it, what the deltas added up to. */
    text?: string;
  }
  | {
    type: "tool-input-start";
    /** The tool call that this belongs to. */
    call_id: string;
    /** The tool's name. */
    tool?: string;
    text?: string;
    /** The part again from its start, for one who joined in its middle. */
    replace?: boolean;
  }
  | {
    type: "tool-input-delta";
    /** The tool call that this belongs to. */
    call_id: string;
    /** The tool's name. */
    tool?: string;
    text: string;
    /** The part again from its start, for one who joined in its middle. */
    replace?: boolean;
  }
  | {
    type: "tool-input-available";
    /** The tool call that this belongs to. */
    call_id: string;
    /** The tool's name. */
    tool?: string;
    /** The whole input, any JSON. */
    input?: unknown;
  }
  | {
    type: "tool-input-error";
    /** The tool call that this belongs to. */
    call_id: string;
    /** The tool's name. */
    tool?: string;
    error?: string;
  }
  | {
    type: "tool-output";
    /** The tool call that this belongs to. */
    call_id: string;
    /** The tool's name. */
    tool?: string;
    /** Any JSON. */
    output?: unknown;
    error?: boolean | string;
  }
  | {
    type: "status";
    status: Activity;
  }
  | {
    type: "finish";
    reason?: string;
  };

/**
 * The `data:` of one event. Its `type` is the `event:`, its cursor the `id:`; the asks of a
 * snapshot, `reset` and unfinished parts have no cursor.
 */
export type Event =
  | {
    type: "ask.opened";
    ask: Ask;
  }
  | {
    type: "ask.settled";
    ask: Ask;
  }
  | {
    type: "ask.content_deleted";
    at: Time;
    session: SessionRef;
    session_id: SessionId;
    ask: AskId;
  }
  | {
    type: "ask.draft";
    at: Time;
    session: SessionRef;
    session_id: SessionId;
    ask: AskId;
    answers: Answer[] | null;
    /** Which of the person's devices did it. */
    device: string;
    version: number;
  }
  | {
    type: "ask.snoozed";
    at: Time;
    session: SessionRef;
    session_id: SessionId;
    ask: AskId;
    snoozed_until?: Time;
  }
  | {
    type: "session.created";
    at: Time;
    session_id: SessionId;
    session: Session;
  }
  | {
    type: "session.status";
    at: Time;
    session_id: SessionId;
    session: Session;
  }
  | {
    type: "session.ended";
    at: Time;
    session_id: SessionId;
    session: Session;
    reason?: string;
  }
  | {
    type: "session.part";
    at?: Time;
    session: SessionRef;
    session_id: SessionId;
    part: StreamEvent;
  }
  | {
    type: "session.message";
    at: Time;
    session: SessionRef;
    session_id: SessionId;
    message: Message;
  }
  | {
    type: "session.message";
    at: Time;
    session: SessionRef;
    session_id: SessionId;
    taken_up_to: MessageId;
  }
  | {
    type: "notice";
    at: Time;
    session?: SessionRef;
    session_id?: SessionId;
    text: string;
    level: Level;
    /** Who speaks, as authenticated. */
    by?: string;
  }
  | {
    type: "agent.revoked";
    at: Time;
    /** The `asker` of its asks. */
    asker: string;
  }
  | {
    type: "snapshot.end";
    cursor: Cursor;
  }
  | {
    type: "reset";
  }
  | {
    type: "stream.failed";
    problem: Problem;
  }
  | {
    type: "store.away";
    problem: Problem;
  }
  | {
    type: "store.back";
  };

/**
 * agent: asks, sees and withdraws its own asks. responder: sees, answers, dismisses. owner: both,
 * and tokens.
 */
export type Role = "agent" | "responder" | "owner";

export interface Token {
  /** What it is called in lists. */
  name: string;
  role: Role;
  /** Whom it acts for: the stable key. */
  principal: string;
  /** Whom it acts for: the name. */
  person: string;
  created_at: Time;
  expires_at?: Time;
  /** To ten minutes or so. */
  last_used_at?: Time;
  /** Of a browser's sign-in, like `Chromium on Linux`. */
  device?: string;
  /** The one session in which this agent's token acts. */
  session_id?: SessionId;
  /** The secret; only in the answer that makes it. */
  token?: string;
}

export interface TokenRequest {
  /** Not yet used; not `browser`, `anyone`, `.`, `..`, `guest-…` or `uid:…`. */
  name: string;
  role?: Role;
  expires_in_seconds?: number;
  /** Whose it is; absent: a new principal's, called `name`. */
  as?: string;
  /** Of an agent's: the live session, by its id or name, in which it acts, whoever opened it. */
  session?: string;
}

export interface Store {
  /** As `parley serve --store` takes it. */
  url: string;
}

export interface StoreCopy {
  id: string;
  bytes: number;
  total: number;
  ready: boolean;
}

export interface PruneRequest {
  /** Asks that were settled before then. */
  asks_before?: string;
  /** Sessions that ended before then and of which nothing is left. */
  sessions_before?: string;
  /** Messages of before that their agent has taken. */
  messages_before?: string;
}

export interface Pruned {
  asks: number;
  sessions: number;
  messages: number;
  events: number;
  more: boolean;
}

export interface TokenPage {
  tokens: Token[];
}

/**
 * RFC 9457. `ask`, with the settlement that stands, is there in an `already-settled` problem,
 * `draft` in a `draft-newer` one, `applied` where a push was refused.
 */
export interface Problem {
  /** `urn:parley:problem:NAME`, or `about:blank` where the status says it all. */
  type: string;
  title: string;
  status: number;
  /** A sentence for people. */
  detail: string;
  /** Each field that is wrong. */
  errors?: {
    /** A JSON pointer into the body. */
    path: string;
    detail: string;
  }[];
  ask?: Ask;
  draft?: Draft;
  /**
   * So many items of the push stay; the one that follows them was refused, and `errors` names it.
   * Send from there.
   */
  applied?: number;
}
