internal import Glibc
internal import MulticamMedia

/// Names of groups and nodes, as used in subjects, certificates, and folder names.
enum GroupName {
    /// Description of valid names, for messages.
    static let rule = "a name of 1 to 32 lowercase letters, digits, and dashes that starts with a letter"

    /// Whether a string is a valid name.
    static func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return (1...32).contains(bytes.count) && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[0])
            && bytes.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            }
    }

    /// Whether a string is a valid recording name, which is also used in file names.
    static func isValidRecordingName(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count) && text.isPlain && text == text.lowercased()
    }

    /// Returns the email address in a member's certificate, which identifies the member to the broker. Member
    /// names don't contain dots, so different members can't have the same address.
    static func user(_ member: String, identity: String, of group: String) -> String {
        "\(member).\(identity)@\(group)"
    }

    /// Returns the email address in the certificate of the computer that serves the group.
    static func server(of group: String) -> String { "serving@\(group)" }

    /// Returns a new identity for a certificate: 16 random hexadecimal digits.
    static func identity() -> String {
        var generator = SystemRandomNumberGenerator()
        let digits = String(generator.next() as UInt64, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns the DNS name in the certificate of a group's broker. The name doesn't depend on the broker's address.
    static func broker(of group: String) -> String { "broker.\(group)" }
}

/// Network addresses of computers.
enum GroupAddress {
    /// Returns an address and a port as text, with brackets around an IPv6 address.
    static func text(_ address: String, _ port: Int) -> String {
        address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    }

    /// Whether a string is a valid address: an IP address or a host name.
    static func isValid(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && !"/@[]\"'\\;<>`$(){}|&*?!#%^~,=+".utf8.contains(byte)
            } && !text.hasPrefix("-")
    }

    /// Returns the addresses of this computer that other computers can reach, IPv4 before IPv6. Loopback and link-local
    /// addresses are omitted.
    static func ownAddresses() -> [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var (four, six): ([String], [String]) = ([], [])
        var entry = first
        while let present = entry {
            entry = present.pointee.ifa_next
            guard let address = present.pointee.ifa_addr,
                present.pointee.ifa_flags & UInt32(IFF_LOOPBACK) == 0
            else { continue }
            let family = Int32(address.pointee.sa_family)
            guard family == AF_INET || family == AF_INET6 else { continue }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
            guard
                getnameinfo(
                    address, socklen_t(size), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else { continue }
            let name = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if family == AF_INET { four.append(name) } else if !name.hasPrefix("fe80") { six.append(name) }
        }
        return four + six
    }
}

/// An error of a group operation, with a message for the user.
package struct GroupError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The message: what failed, where, why, and how to fix it.
    package let description: String
    /// The exit status that results from the error.
    package let status: Int32

    /// Creates an error with a message for the user.
    ///
    /// - Parameters:
    ///   - description: The message for the user.
    ///   - status: The exit status: 1, or 2 for invalid arguments.
    package init(_ description: String, status: Int32 = 1) {
        self.description = description
        self.status = status
    }
}
