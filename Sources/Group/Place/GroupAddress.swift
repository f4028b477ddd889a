internal import Glibc

/// Addresses of computers on a network.
enum GroupAddress {
    /// Address and port as text, an IPv6 address in brackets.
    static func text(_ address: String, _ port: Int) -> String {
        address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    }

    /// Whether a text may be an address: an IP address or a host name.
    static func isValid(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && !"/@[]\"'\\;<>`$(){}|&*?!#%^~,=+".utf8.contains(byte)
            } && !text.hasPrefix("-")
    }

    /// The addresses of this computer that others reach, IPv4 before IPv6, without those of loopback and of one link.
    static func own() -> [String] {
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
