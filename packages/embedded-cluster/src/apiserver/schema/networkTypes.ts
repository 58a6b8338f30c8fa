/** Services, Ingresses and NetworkPolicies, in the notation of types.ts. */
export const networkTypes = {
  ServicePort: 'appProtocol name nodePort#0 +port# protocol=TCP targetPort%',
  ClientIPConfig: 'timeoutSeconds#',
  SessionAffinityConfig: 'clientIP:ClientIPConfig',
  ServiceSpec: `
    allocateLoadBalancerNodePorts? clusterIP clusterIPs[] externalIPs[] externalName externalTrafficPolicy
    healthCheckNodePort#0 internalTrafficPolicy ipFamilies[] ipFamilyPolicy loadBalancerClass loadBalancerIP
    loadBalancerSourceRanges[] ports[port,protocol]:ServicePort publishNotReadyAddresses?0 selector{!}
    sessionAffinity sessionAffinityConfig:SessionAffinityConfig trafficDistribution type
  `,
  PortStatus: 'error +port# +protocol',
  LoadBalancerIngress: 'hostname ip ipMode ports[]:PortStatus',
  LoadBalancerStatus: 'ingress[]:LoadBalancerIngress',
  ServiceStatus: 'conditions[type]:Condition loadBalancer:LoadBalancerStatus',
  Service: 'metadata:ObjectMeta spec:ServiceSpec status:ServiceStatus',
  EndpointConditions: 'ready? serving? terminating?',
  ForNode: '+name',
  ForZone: '+name',
  EndpointHints: 'forNodes[]:ForNode forZones[]:ForZone',
  Endpoint: `
    +addresses[=] conditions:EndpointConditions deprecatedTopology{} hints:EndpointHints hostname nodeName
    targetRef:ObjectReference zone
  `,
  '!EndpointPort': 'appProtocol name port# protocol',
  EndpointSlice: '+addressType endpoints[]:Endpoint metadata:ObjectMeta ports[]:EndpointPort',
  '!ServiceBackendPort': 'name number#0',
  IngressServiceBackend: '+name port:ServiceBackendPort',
  IngressBackend: 'resource:TypedLocalObjectReference service:IngressServiceBackend',
  HTTPIngressPath: '+backend:IngressBackend path +pathType',
  HTTPIngressRuleValue: '+paths[]:HTTPIngressPath',
  IngressRule: 'host http:HTTPIngressRuleValue',
  IngressTLS: 'hosts[] secretName',
  IngressSpec: 'defaultBackend:IngressBackend ingressClassName rules[]:IngressRule tls[]:IngressTLS',
  IngressPortStatus: 'error +port# +protocol',
  IngressLoadBalancerIngress: 'hostname ip ports[]:IngressPortStatus',
  IngressLoadBalancerStatus: 'ingress[]:IngressLoadBalancerIngress',
  IngressStatus: 'loadBalancer:IngressLoadBalancerStatus',
  Ingress: 'metadata:ObjectMeta spec:IngressSpec status:IngressStatus',
  NetworkPolicyPort: 'endPort# port% protocol',
  IPBlock: '+cidr except[]',
  NetworkPolicyPeer: 'ipBlock:IPBlock namespaceSelector:LabelSelector podSelector:LabelSelector',
  NetworkPolicyEgressRule: 'ports[]:NetworkPolicyPort to[]:NetworkPolicyPeer',
  NetworkPolicyIngressRule: 'from[]:NetworkPolicyPeer ports[]:NetworkPolicyPort',
  NetworkPolicySpec: `
    egress[]:NetworkPolicyEgressRule ingress[]:NetworkPolicyIngressRule podSelector:LabelSelector
    policyTypes[]
  `,
  NetworkPolicy: 'metadata:ObjectMeta spec:NetworkPolicySpec',
} as const;
