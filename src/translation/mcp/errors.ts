/** The codes of errors, those of JSON-RPC first. */
export const ERROR_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** A header is missing, malformed or not what the body says. */
  headerMismatch: -32020,
  /** The client did not declare a capability that the request needs. */
  missingClientCapability: -32021,
  unsupportedVersion: -32022,
} as const

/** The error of a JSON-RPC message. */
export type RpcError = { code: number; message: string; data?: unknown }

/** The error of a message, and the status of the HTTP answer that has it. */
export class McpProblem extends Error {
  readonly status: number
  readonly error: RpcError

  constructor(status: number, error: RpcError) {
    super(error.message)
    this.status = status
    this.error = error
  }
}

export function invalidRequest(message: string): McpProblem {
  return new McpProblem(400, { code: ERROR_CODES.invalidRequest, message })
}

export function headerMismatch(message: string): McpProblem {
  return new McpProblem(400, { code: ERROR_CODES.headerMismatch, message })
}

export function unsupportedVersion(requested: string, supported: readonly string[]): McpProblem {
  const message = `Unsupported protocol version: this server speaks ${supported.join(', ')}.`
  return new McpProblem(400, { code: ERROR_CODES.unsupportedVersion, message, data: { supported, requested } })
}

/** The answer to a request is 404 since 2026-07-28; earlier revisions have every answer of a known address with 200. */
export function methodNotFound(method: string, status: 200 | 404): McpProblem {
  return new McpProblem(status, { code: ERROR_CODES.methodNotFound, message: `Method not found: ${method}` })
}

export function invalidParams(message: string, status: 200 | 400, data?: unknown): McpProblem {
  const error = { code: ERROR_CODES.invalidParams, message }
  return new McpProblem(status, data === undefined ? error : { ...error, data })
}

/** Whether a 400 or 404 with this error is from a server that speaks the newest revision, so that no handshake is tried. */
export function isModernError({ code }: RpcError): boolean {
  return MODERN_CODES.includes(code)
}

const MODERN_CODES: readonly number[] = [
  ERROR_CODES.headerMismatch,
  ERROR_CODES.missingClientCapability,
  ERROR_CODES.unsupportedVersion,
]
