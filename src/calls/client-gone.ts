/** Why a call's signal was raised when nobody is left to read the answer. */
export class ClientGone extends Error {}
