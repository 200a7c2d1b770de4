/**
 * Door of the NATS room: calls across machines.
 *
 * Loads the client package when a connection is made; without it everything within one process works as before.
 */
export type { NATSConnection, NATSHeaders, NATSMessage, NATSSubscription } from "./nats/connection.js"
export { natsServerConfig, type NATSServerConfigOptions } from "./nats/server_config.js"
