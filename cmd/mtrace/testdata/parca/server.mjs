// Takes profiles as Parca does: gRPC's own server, with the messages of the package that Parca publishes. It prints its address, then a line of JSON
// for each profile. A label `refuse` is answered with an error. Usage: server.mjs FOLDER-OF-NODE_MODULES
import { createRequire, register } from "node:module";
import { pathToFileURL } from "node:url";

// The package was made for bundlers: it names its own files without their .js.
const hook = "export const resolve = (name, from, next) => next(name, from).catch(() => next(name + '.js', from))";
register("data:text/javascript," + encodeURIComponent(hook));
const require = createRequire(pathToFileURL(process.argv[2] + "/"));
const { Server, ServerCredentials, status } = require("@grpc/grpc-js");
const { WriteRawRequest, WriteRawResponse } = await import(pathToFileURL(require.resolve("@parca/client").replace(/dist\/.*/, "dist/parca/profilestore/v1alpha1/profilestore.js")));

const server = new Server();
server.addService(
  {
    WriteRaw: {
      path: "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw",
      requestStream: false,
      responseStream: false,
      requestDeserialize: (bytes) => WriteRawRequest.fromBinary(bytes),
      responseSerialize: (message) => Buffer.from(WriteRawResponse.toBinary(message)),
    },
  },
  {
    WriteRaw(call, done) {
      for (const series of call.request.series) {
        const labels = Object.fromEntries(series.labels.labels.map((label) => [label.name, label.value]));
        if (labels.refuse) return done({ code: status.INVALID_ARGUMENT, details: "this label\nis not wanted: 100%" });
        const profiles = series.samples.map((sample) => Buffer.from(sample.rawProfile).toString("base64"));
        console.log(JSON.stringify({ labels, profiles, normalized: call.request.normalized, authorization: call.metadata.get("authorization") }));
      }
      done(null, WriteRawResponse.create());
    },
  },
);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log("http://127.0.0.1:" + port);
});
process.stdin.on("end", () => process.exit()).resume();
