/// The result of a stress test.
public struct StressResult: Sendable {
    /// The absolute path of the folder with the certificate and the report.
    public let folder: String
    /// The final certificate.
    public let certificate: StressCertificate
}
