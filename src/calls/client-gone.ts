/** The reason of a call's signal if the client has left and nobody will read the answer. */
export class ClientGone extends Error {}
