/**
 * Door of the NATS room: calls across machines.
 *
 * Loads the client package when a connection is made; without it everything within one process works as before.
 */
export type { NATSConnection, NATSHeaders, NATSMessage, NATSSubscription } from "./nats/connection.js"
export { connectNATS, type ConnectNATSOptions } from "./nats/connect_nats.js"
export { createNATSTransport, type NATSTransport, type NATSTransportOptions } from "./nats/transport.js"
export type { NATSServedCalls, NATSWorkerEndOptions } from "./nats/served_subscriptions.js"
export type { CallDestination } from "./nats/caller_end.js"
export type { WorkerLoad } from "./nats/worker_load.js"
export type { Identify } from "./nats/worker_end.js"
export { natsServerConfig, type NATSServerCaller, type NATSServerConfigOptions } from "./nats/server_config.js"
export { serve, type NATSWorker, type ServeOptions, type WorkerHealth } from "./nats/worker.js"
export type { UnservedOperation } from "./nats/exposed.js"
export { createRemoteRegistry, RemoteRegistry, type RemoteWorker } from "./nats/remote_registry.js"
export type { RemoteRegistryOptions } from "./nats/remote_options.js"
export type { RemoteReport } from "./nats/remote_report.js"
export type { RemoteConflict } from "./nats/mirrored_definitions.js"
export type { AnnouncedLoad } from "./nats/announcer.js"
