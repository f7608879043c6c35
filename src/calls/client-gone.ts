/** The reason of a call's signal if the client has closed its connection, so that the answer cannot be delivered. */
export class ClientGone extends Error {}

/** nginx's status for a client that left before the answer. It is only seen in logs and in the ledger. */
export const CLIENT_GONE = 499
