-- True if a MAC address does not identify its owner: the address of loopback interfaces, the virtual addresses of
-- redundant routers (VRRP: RFC 9568, section 7.3; HSRP; GLBP), and group addresses.
create or replace function app.is_shared_mac(mac macaddr) returns boolean
language sql immutable parallel safe
return mac = macaddr '00:00:00:00:00:00'
  or mac & macaddr '01:00:00:00:00:00' <> macaddr '00:00:00:00:00:00'
  or mac & macaddr 'ff:ff:ff:ff:ff:00'
    in (macaddr '00:00:5e:00:01:00', macaddr '00:00:5e:00:02:00', macaddr '00:00:0c:07:ac:00')
  or mac & macaddr 'ff:ff:ff:ff:f0:00' in (macaddr '00:00:0c:9f:f0:00', macaddr '00:05:73:a0:00:00')
  or mac & macaddr 'ff:ff:ff:00:00:00' = macaddr '00:07:b4:00:00:00';

grant execute on function app.is_shared_mac to inventory_api;
