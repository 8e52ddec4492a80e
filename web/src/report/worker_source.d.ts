declare module "worker:*" {
  /** The bundled program of a worker. */
  const source: string;
  export default source;
}
