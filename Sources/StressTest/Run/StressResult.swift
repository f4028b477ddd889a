/// How a stress test ended.
public struct StressResult: Sendable {
    /// The absolute path of the folder with the certificate and the report.
    public let folder: String
    public let certificate: StressCertificate
}
